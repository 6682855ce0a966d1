import { checkOrigin } from './check-origin.ts';
import type { UserVerification } from './records.ts';

/** What cannot be asked of a browser. */
export interface InvalidOptions {
  readonly status: 'INVALID_OPTIONS_ERROR';
  readonly reason: string;
}

export const invalidOptions = (reason: string): InvalidOptions => ({ status: 'INVALID_OPTIONS_ERROR', reason });

/** Which values some members take; the texts of contract 07 section 2.1 name them in this order. */
const CHOICES = {
  userVerification: ['required', 'discouraged', 'preferred'],
  attestation: ['none', 'indirect', 'direct', 'enterprise'],
  residentKey: ['required', 'discouraged', 'preferred'],
} as const satisfies Record<string, readonly string[]>;

type ChoiceName = keyof typeof CHOICES;

/** What both kinds of options have. */
interface SharedFields {
  readonly relyingPartyId: string;
  readonly origin: string;
  /** ms */
  readonly timeout?: number | undefined;
  readonly userVerification?: string | undefined;
}

const DEFAULT_TIMEOUT_MS = 6000;

/** An absent or empty text stands for the default. */
export const orDefault = (given: string | undefined, fallback: string): string => given || fallback;

/** Whether a value is one of the few that a member takes. */
export function isChoice<N extends ChoiceName>(name: N, value: string): value is (typeof CHOICES)[N][number] {
  const choices: readonly string[] = CHOICES[name];
  return choices.includes(value);
}

export const notAChoice = (name: ChoiceName, value: string): InvalidOptions =>
  invalidOptions(`Invalid value '${value}' for ${name}. Must be one of: ${CHOICES[name].join(', ')}`);

/** What both kinds of options are made with; `timeout` in ms. */
export interface Terms {
  readonly timeout: number;
  readonly userVerification: UserVerification;
}

/** The checks that both kinds of options begin with, in the order of contract 07 section 2.1. */
export function readTerms(fields: SharedFields, isStrict: boolean): Terms | InvalidOptions {
  const { relyingPartyId, origin, timeout = DEFAULT_TIMEOUT_MS } = fields;
  const userVerification = orDefault(fields.userVerification, 'preferred');
  const fault = checkOrigin(origin, relyingPartyId, isStrict);
  if (fault !== undefined) return invalidOptions(fault);
  if (timeout < 0) return invalidOptions('Timeout must be a positive value');
  return isChoice('userVerification', userVerification) ? { timeout, userVerification } : notAChoice('userVerification', userVerification);
}
