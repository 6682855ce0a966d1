import type { Element } from '@xmldom/xmldom';
import type { KeyObject } from 'node:crypto';
import { attempt, Unacceptable } from './demand.ts';
import type { SignedPart } from './response-shape.ts';
import { type CheckOutcome, SAML_CHECKS, type SamlCheck } from './saml.ts';

/** The elements of a response that were read last: as received at first, in the end from the signed bytes. */
interface Reached {
  readonly envelope: Element;
  /** Undefined where there is none, or where it is still encrypted. */
  readonly assertion: Element | undefined;
  readonly isProven: boolean;
}

/** The checks of one response, as far as they have come: how each ended, and what was read until then. */
export class Checking {
  readonly #faults = new Map<SamlCheck, string | undefined>();
  /** The signatures that were looked into. */
  readonly signatures: SignedPart[] = [];
  isEncrypted = false;
  reached: Reached | undefined;
  /** The key of the client that made the last signature that holds. */
  signer: KeyObject | undefined;

  /** Makes a check, or a part of it. @throws Unacceptable where it does not hold */
  run<T>(check: SamlCheck, body: () => T): T {
    const attempted = attempt(body);
    if ('reason' in attempted) {
      this.#faults.set(check, attempted.reason);
      throw new Unacceptable(attempted.reason);
    }
    if (!this.#faults.has(check)) this.#faults.set(check, undefined);
    return attempted.result;
  }

  /** The checks that were made. */
  get outcomes(): readonly CheckOutcome[] {
    return SAML_CHECKS.filter((check) => this.#faults.has(check)).map((check) => ({ check, fault: this.#faults.get(check) }));
  }
}
