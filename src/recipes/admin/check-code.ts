import { totpStepOf } from '../../crypto/totp.ts';
import type { Context } from '../context.ts';
import { type FailureLimit, failuresKey, withinLimits } from '../email-password/failure-limits.ts';
import type { OperatorRecord, OperatorTotp } from '../operators/records.ts';

/** Seconds per code, and how many codes an operator's clock may be off either way. */
const PERIOD = 30;
const SKEW = 1;

/** The step of a right code that is newer than the last one that was taken. @param now ms since the epoch */
export function newStepOf({ secret, lastStep }: OperatorTotp, code: string, now: number): number | undefined {
  const step = totpStepOf({ secret, period: PERIOD, skew: SKEW }, code, now);
  return step !== undefined && step > lastStep ? step : undefined;
}

/** What makes codes, as apps take it by link or QR code. */
export function enrolmentUri(secret: string, email: string): string {
  return `otpauth://totp/${encodeURIComponent(`Watchword:${email}`)}?${new URLSearchParams({ secret, issuer: 'Watchword', period: String(PERIOD) })}`;
}

/**
 * Runs `check` unless too many codes of this operator were wrong lately (`totp_max_attempts` within
 * `totp_rate_limit_cooldown_sec`, both of the base app); then nothing is checked, and the answer is undefined.
 */
export function withinCodeLimit<R extends { readonly status: string }>(
  context: Context,
  { userId }: Pick<OperatorRecord, 'userId'>,
  check: () => Promise<R>,
): Promise<R | undefined> {
  const { totp_max_attempts: most, totp_rate_limit_cooldown_sec: seconds } = context.tenant.config;
  const key = failuresKey(context.tenant, 'operator code', userId);
  const limit: FailureLimit = { key, windowMs: seconds * 1000, most, by: 'operator code', endsWithSuccess: true };
  return withinLimits(context, [limit], check);
}
