import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isKnown, takesCoding } from './negotiation.ts';
import { type Reply, textReply } from './reply.ts';
import type { RequestHead } from './request.ts';
import type { PlainEndpoint } from './plain-endpoint.ts';

/** Where the build puts the page, beside the compiled program. */
const FOLDER = fileURLToPath(new URL('../../admin', import.meta.url));
const PATH = '/admin';
const START = 'index.html';
/** Files beneath it have the digest of what they hold in their names. */
const HASHED = 'assets/';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** By the codings of their names, the best first: the build has made both of every file. */
const CODINGS = { br: '.br', gzip: '.gz' } as const;

/** The page loads what the core serves, and nothing else from anywhere; no other page shows it or opens into it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Header = readonly [name: string, value: string];

const PROTECTION: readonly Header[] = [
  ['Content-Security-Policy', POLICY],
  ['X-Frame-Options', 'DENY'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

/** A file in memory, as it is and compressed. */
interface PageFile {
  readonly contentType: string;
  readonly plain: Uint8Array;
  readonly coded: Readonly<Partial<Record<keyof typeof CODINGS, Uint8Array>>>;
  readonly headers: readonly Header[];
  readonly etag: string;
}

/**
 * The files of the admin page, each under its own path: no path of a request is ever looked for on disk. Answers none
 * where the page was not built.
 */
export async function adminPage(folder: string = FOLDER): Promise<readonly (readonly [path: string, endpoint: PlainEndpoint])[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const wanted = names.filter((name) => extname(name) in TYPES);
  const files = await Promise.all(wanted.map(async (name) => [name.split(sep).join('/'), await load(folder, name)] as const));
  const ofFile = (file: PageFile): PlainEndpoint => ({ isOpen: true, checksPeer: true, answer: (head) => answer(file, head) });
  const served = files.flatMap(([name, file]) => {
    const paths = name === START ? [`${PATH}/`, `${PATH}/${name}`] : [`${PATH}/${name}`];
    return paths.map((path) => [path, ofFile(file)] as const);
  });
  return [[PATH, { isOpen: true, checksPeer: true, answer: () => TO_PAGE }], ...served];
}

/** Relative, so that it leads to the same place behind a proxy that changes paths. */
const TO_PAGE: Reply = textReply(308, 'The admin page is at admin/', [['Location', 'admin/'], ...PROTECTION]);

async function load(folder: string, name: string): Promise<PageFile> {
  const plain = await readFile(join(folder, name));
  const coded = Object.fromEntries(
    await Promise.all(
      Object.entries(CODINGS)
        .filter(([, ending]) => existsSync(join(folder, name + ending)))
        .map(async ([coding, ending]) => [coding, await readFile(join(folder, name + ending))] as const),
    ),
  );
  const isHashed = name.split(sep).join('/').startsWith(HASHED);
  const cacheControl: Header = ['Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-store'];
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return {
    contentType: TYPES[extname(name)] ?? '',
    plain,
    coded,
    etag,
    // Weak, as it stands for the file in whatever coding.
    headers: [cacheControl, ['ETag', `W/${etag}`], ['Vary', 'Accept-Encoding'], ...PROTECTION],
  };
}

function answer({ contentType, plain, coded, headers, etag }: PageFile, { ifNoneMatch, acceptEncoding }: RequestHead): Reply {
  if (isKnown(ifNoneMatch, etag)) return { status: 304, contentType, body: '', headers };
  const coding = (['br', 'gzip'] as const).find((one) => coded[one] && takesCoding(acceptEncoding, one));
  const body = coding && coded[coding];
  if (!body) return { status: 200, contentType, body: plain, headers };
  return { status: 200, contentType, body, headers: [...headers, ['Content-Encoding', coding]] };
}
