import { LIMITS } from '../../config/limits.ts';
import { Refusal } from '../refusal.ts';

/** The fields of TOTP endpoints that have rules of their own (contract 05 section 4.3). */
export interface TotpFields {
  readonly userId: string;
  readonly deviceName?: string | undefined;
  readonly existingDeviceName?: string;
  readonly newDeviceName?: string;
  readonly secretKey?: string;
  readonly skew?: number;
  readonly period?: number;
}

const TEXTS = ['userId', 'deviceName', 'existingDeviceName', 'newDeviceName', 'secretKey'] as const;

/** Checks what the fields' types leave open: first texts, then numbers, in the contract's order. @throws Refusal */
export function checkTotpFields(fields: TotpFields): void {
  for (const name of TEXTS) if (fields[name] === '') refuse(`${name} cannot be empty`);
  const { skew = 0, period = 1 } = fields;
  if (skew < 0) refuse('skew must be >= 0');
  if (period <= 0) refuse('period must be > 0');
}

/** The same for what is to be kept, which must also be of a sensible size. @throws Refusal */
export function checkKeptTotpFields(fields: TotpFields): void {
  checkTotpFields(fields);
  for (const name of TEXTS) {
    const isKept = name !== 'userId' && name !== 'existingDeviceName';
    if (isKept && (fields[name] ?? '').length > LIMITS.totpTextLength)
      refuse(`${name} is too long. Max length is ${LIMITS.totpTextLength}.`);
  }
  if ((fields.skew ?? 0) > LIMITS.totpSkew) refuse(`skew must be <= ${LIMITS.totpSkew}`);
}

function refuse(text: string): never {
  throw new Refusal('bad-input', { text });
}
