import { PreparedFile } from './prepared-file.ts';
import type { PlainEndpoint } from './plain-endpoint.ts';

/** Where the build puts them, beside the compiled program. */
const fileOf = (name: string): URL => new URL(`../../api/${name}.gz`, import.meta.url);

/** The page may load its style sheet and its script, and nothing else from anywhere. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The description of the interface for programs and for people.
 * @param basePath what the paths of the core begin with, or nothing
 */
export function apiDocs(basePath: string): readonly (readonly [path: string, endpoint: PlainEndpoint])[] {
  const change = basePath === '' ? undefined : (text: string) => withBasePath(text, basePath);
  const pageHeaders = [
    ['Content-Security-Policy', PAGE_POLICY],
    ['Referrer-Policy', 'no-referrer'],
  ] as const;
  const files = {
    '/openapi.json': new PreparedFile(fileOf('openapi.json'), 'application/json;charset=UTF-8', [], change),
    '/docs': new PreparedFile(fileOf('docs.html'), 'text/html;charset=UTF-8', pageHeaders),
    '/docs/reference.css': new PreparedFile(fileOf('reference.css'), 'text/css;charset=UTF-8'),
    '/docs/reference.js': new PreparedFile(fileOf('reference.js'), 'text/javascript;charset=UTF-8'),
  };
  return Object.entries(files).map(([path, file]) => [path, { isOpen: true, answer: (head) => file.answer(head) }]);
}

function withBasePath(text: string, basePath: string): string {
  const document = JSON.parse(text) as { readonly servers: readonly { readonly url: string }[] };
  const servers = document.servers.map((server) => ({ ...server, url: server.url === '/' ? basePath : basePath + server.url }));
  return JSON.stringify({ ...document, servers });
}
