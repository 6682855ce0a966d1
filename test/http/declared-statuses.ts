import { SCHEMAS } from '../../src/generated/schemas.ts';
import { SINCE } from '../../src/generated/since.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { ROUTES } from '../../src/recipes/routes.ts';

const { paths } = openApiDocument(ROUTES, SCHEMAS, SINCE) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
};

/** The statuses that openapi.json lists for a row; undefined where it has no such operation. */
export function declaredStatuses(method: string, path: string): readonly string[] | undefined {
  const operation = paths[path]?.[method.toLowerCase()];
  return operation && Object.keys(operation.responses);
}
