import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import type { Example } from '../../src/http/openapi/examples.ts';
import { ROUTES } from '../../src/recipes/routes.ts';
import { PROJECT_ROOT } from '../running-core.ts';

/** An operation of the document, as far as tests look at it. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object; readonly examples?: object }>> };
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly object[];
}

export const EXAMPLES_FILE = join(PROJECT_ROOT, 'schemas', 'examples.json');
export const EXAMPLES: readonly Example[] = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'));

/** The description of the interface, made of the sources. */
export const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument({ routes: ROUTES, examples: EXAMPLES, version: '1.2.3' }))) as {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: object;
    readonly responses: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: object;
  };
};

/** The operation of a method and path. */
export function operation(method: string, path: string): Operation {
  const found = DOCUMENT.paths[path]?.[method.toLowerCase()];
  if (!found) throw new Error(`no ${method} ${path}`);
  return found;
}
