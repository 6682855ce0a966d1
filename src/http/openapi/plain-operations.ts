import { PLAIN_RECIPE } from './tags.ts';
import { operationId } from './operation.ts';
import { refusedWith } from './refused.ts';
import type { Json } from './schemas.ts';

const TEXT = { schema: { type: 'string' } };
const OPEN: readonly Json[] = [];
const PAGES = '`If-None-Match` is understood, and so is `Accept-Encoding: gzip`.';
/** Whoever reads the store's state may be told by these, whatever state it is in. */
const NOT_READY = {
  description: 'Not ready; the text says why.',
  content: { 'text/html': { ...TEXT, example: 'not ready: it is stopping\n' } },
};

function answered(mediaType: string, example?: string): Json {
  return { description: 'Answered.', content: { [mediaType]: { ...TEXT, ...(example !== undefined && { example }) } } };
}

const NOT_MODIFIED = { '304': { description: 'Unchanged since the answer with that `ETag`.' } };

/** What is served beside the rows: `GET` only, without app and tenant, with and without the base path. */
const PLAIN: Readonly<Record<string, Json>> = {
  '/livez': {
    summary: 'Whether the process answers',
    description: 'For the probe that restarts what hangs. Open to anybody.',
    responses: { '200': answered('text/html', 'alive\n'), ...refusedWith('400', '431') },
    security: OPEN,
  },
  '/readyz': {
    summary: 'Whether requests should be sent here',
    description: 'Looks at the store and at the main thread. Open to anybody.',
    responses: { '200': answered('text/html', 'ready\n'), ...refusedWith('400', '431'), '503': NOT_READY },
    security: OPEN,
  },
  '/metrics': {
    summary: 'Counters of the whole process for Prometheus',
    description: 'The API key must be good for `read`, and be one of the base app.',
    responses: { '200': answered('text/plain'), ...refusedWith('400', '401', '403', '431', '500', '503') },
    security: [{ apiKey: ['read'] }, { bearer: ['read'] }, {}],
  },
  '/openapi.json': {
    summary: 'This description',
    description: `Not served where the option \`api_docs\` is off. ${PAGES} Open to anybody.`,
    responses: {
      '200': { description: 'Answered.', content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } } },
      ...NOT_MODIFIED,
      ...refusedWith('400', '431', '500'),
    },
    security: OPEN,
  },
  '/docs': {
    summary: 'This description as a page',
    description: `Not served where the option \`api_docs\` is off. ${PAGES} Open to anybody.`,
    responses: { '200': answered('text/html'), ...NOT_MODIFIED, ...refusedWith('400', '431', '500') },
    security: OPEN,
  },
};

/** The paths of all that is served beside the rows, each with its operation. */
export function plainPaths(): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(PLAIN).map(([path, operation]) => [
      path,
      {
        servers: [{ url: '/', description: 'Without app and tenant' }],
        get: { operationId: operationId('get', path), tags: [PLAIN_RECIPE], ...operation },
      },
    ]),
  );
}
