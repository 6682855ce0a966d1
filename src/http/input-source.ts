import { Refusal } from '../recipes/refusal.ts';
import type { Body } from './body.ts';
import type { InputSource } from './input.ts';
import { type HttpRequest, isForm } from './request.ts';

/** The fields of a posted form count as query parameters, after those of the query (contract 01 section 2.1). */
export function sourceOf({ body, request }: { readonly body: Body; readonly request: HttpRequest }): InputSource {
  const { head, method, query } = request;
  if (method !== 'POST' || !isForm(head)) return { body, query };
  const fields = body.text;
  if (fields === undefined) throw new Refusal('query-malformed');
  return { body, query: query === '' ? fields : `${query}&${fields}` };
}
