import { checkResponse } from './check-response.ts';
import { readMetadata } from './metadata.ts';
import type { IdpMetadata, SamlAnswer, SamlQuestion, SpKey } from './saml.ts';
import { signRequest } from './sign-request.ts';

/** What the xml workers are asked. */
export type XmlTask =
  | { readonly kind: 'metadata'; readonly metadata: string }
  | { readonly kind: 'check'; readonly question: SamlQuestion }
  | { readonly kind: 'sign'; readonly xml: string; readonly key: SpKey };

/** What they answer, by the kind of the task in this order. */
export type XmlResult = IdpMetadata | undefined | SamlAnswer | string;

/** Does one task, in the calling thread: milliseconds, or up to three seconds for the largest and deepest documents. */
export function performXmlTask(task: XmlTask): XmlResult {
  if (task.kind === 'metadata') return readMetadata(task.metadata);
  return task.kind === 'check' ? checkResponse(task.question) : signRequest(task.xml, task.key);
}
