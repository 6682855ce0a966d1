import { checkResponse } from './check-response.ts';
import { readMetadata } from './metadata.ts';
import type { IdpMetadata, SamlAnswer, SamlQuestion } from './saml.ts';

/** What the xml workers are asked. */
export type XmlTask =
  | { readonly kind: 'metadata'; readonly metadata: string }
  | { readonly kind: 'check'; readonly question: SamlQuestion };

/** What they answer, by the kind of the task in this order. */
export type XmlResult = IdpMetadata | undefined | SamlAnswer;

/** Does one task, in the calling thread: milliseconds, or up to three seconds for the largest and deepest documents. */
export function performXmlTask(task: XmlTask): XmlResult {
  return task.kind === 'metadata' ? readMetadata(task.metadata) : checkResponse(task.question);
}
