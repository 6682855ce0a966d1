import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { isKnown, takesCoding } from './negotiation.ts';
import type { Reply } from './reply.ts';
import type { RequestHead } from './request.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

type Header = readonly [name: string, value: string];
type Conditions = Pick<RequestHead, 'ifNoneMatch' | 'acceptEncoding'>;

/** What is sent of a file, made ready once. */
interface Ready {
  readonly gzipped: Uint8Array;
  readonly etag: string;
}

/** A file that the build made and compressed. It is read when it is first asked for, off the event loop, and kept. */
export class PreparedFile {
  readonly #file: URL;
  readonly #contentType: string;
  readonly #headers: readonly Header[];
  readonly #change: ((text: string) => string) | undefined;
  #ready: Promise<Ready> | undefined;

  /** @param change what is done to its text before it is sent */
  constructor(file: URL, contentType: string, headers: readonly Header[] = [], change?: (text: string) => string) {
    this.#file = file;
    this.#contentType = contentType;
    this.#headers = [['X-Content-Type-Options', 'nosniff'], ...headers];
    this.#change = change;
  }

  /** The file, or 304 for who has it already. Rejects where it cannot be read. */
  async answer({ ifNoneMatch, acceptEncoding }: Conditions): Promise<Reply> {
    this.#ready ??= this.#load();
    const { gzipped, etag } = await this.#ready.catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    // The tag is weak, as it stands for the text in whatever coding.
    const headers: readonly Header[] = [
      ['ETag', `W/${etag}`],
      ['Cache-Control', 'no-cache'],
      ['Vary', 'Accept-Encoding'],
      ...this.#headers,
    ];
    const contentType = this.#contentType;
    if (isKnown(ifNoneMatch, etag)) return { status: 304, contentType, body: '', headers };
    if (!takesCoding(acceptEncoding, 'gzip')) return { status: 200, contentType, body: await expand(gzipped), headers };
    return { status: 200, contentType, body: gzipped, headers: [...headers, ['Content-Encoding', 'gzip']] };
  }

  async #load(): Promise<Ready> {
    const bytes = await readFile(this.#file);
    const change = this.#change;
    const gzipped = change ? await compress(change((await expand(bytes)).toString())) : bytes;
    return { gzipped, etag: `"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"` };
  }
}
