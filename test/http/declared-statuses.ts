import { DOCUMENT } from './described.ts';

/** The statuses that openapi.json lists for a row; undefined where it has no such operation. */
export function declaredStatuses(method: string, path: string): readonly string[] | undefined {
  const operation = DOCUMENT.paths[path]?.[method.toLowerCase()];
  return operation && Object.keys(operation.responses);
}
