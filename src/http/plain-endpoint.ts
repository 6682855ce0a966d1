import type { MaybePromise } from '../store/maybe-promise.ts';
import type { Reply } from './reply.ts';
import type { RequestHead } from './request.ts';

/** An endpoint beside the contract's: exact path, GET, no app and no tenant. */
export interface PlainEndpoint {
  /** True for probes, open to anybody; others need a key good for `read` and obey the base configuration's IP rules. */
  readonly isOpen: boolean;
  /** True where the IP rules of the base configuration hold though it is open. */
  readonly checksPeer?: true;
  answer(head: RequestHead): MaybePromise<Reply>;
}
