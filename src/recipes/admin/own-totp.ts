import { newTotpSecret } from '../../crypto/totp.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { findUser } from '../dashboard/user-lookup.ts';
import { type OperatorRecord, operators } from '../operators/records.ts';
import { Refusal } from '../refusal.ts';
import { enrolmentUri, newStepOf, withinCodeLimit } from './check-code.ts';
import { factsOf } from './operator-facts.ts';
import { type Changed, provesPassword } from './own-password.ts';
import { renewSession } from './renew-session.ts';
import { signedInOf } from './signed-in.ts';

/** What was shown must be proved by a code within this time. */
const ENROLMENT_MS = 10 * 60_000;

export type BeginTotpResult =
  | { readonly status: 'INVALID_CREDENTIALS_ERROR' | 'TOTP_ALREADY_ENROLLED_ERROR' }
  | { readonly status: 'OK'; readonly secret: string; readonly uri: string };

/** `POST /manage/v1/operator/totp`: shows the secret of an app that makes codes; it counts once a code proves it. */
export async function beginTotp(context: Context, { password }: Commands['admin/begin-totp']): Promise<BeginTotpResult> {
  const { app, userId } = signedInOf(context).session;
  if (!(await provesPassword(context, password))) return { status: 'INVALID_CREDENTIALS_ERROR' };
  const secret = newTotpSecret(context.randomBytes);
  return context.store.transact(async (tx): Promise<BeginTotpResult> => {
    const [user, operator] = await Promise.all([findUser(tx, app, { userId }), tx.get(operators, [app, userId])]);
    if (!user || !operator) throw new Refusal('signed-out');
    if (operator.totp) return { status: 'TOTP_ALREADY_ENROLLED_ERROR' };
    await tx.put(operators, { ...operator, newTotp: { secret, createdAt: context.now() } });
    return { status: 'OK', secret, uri: enrolmentUri(secret, user.email) };
  });
}

/** `NO_ENROLMENT_ERROR`: no secret was shown lately. */
export type VerifyTotpResult = { readonly status: 'INVALID_TOTP_ERROR' | 'NO_ENROLMENT_ERROR' } | Changed;

/** `POST /manage/v1/operator/totp/verify`: from then on a sign-in needs a code. All other sessions end. */
export async function verifyTotp(context: Context, { totp }: Commands['admin/verify-totp']): Promise<VerifyTotpResult> {
  const verified = await changeByCode<VerifyTotpResult>(context, (operator, now) => {
    const { newTotp } = operator;
    if (!newTotp || now >= newTotp.createdAt + ENROLMENT_MS) return { status: 'NO_ENROLMENT_ERROR' };
    const lastStep = newStepOf({ ...newTotp, lastStep: 0 }, totp, now);
    if (lastStep === undefined) return { status: 'INVALID_TOTP_ERROR' };
    const { newTotp: _proven, ...others } = operator;
    return { ...others, totp: { ...newTotp, lastStep } };
  });
  return verified ?? { status: 'INVALID_TOTP_ERROR' };
}

export type RemoveTotpResult = { readonly status: 'INVALID_CREDENTIALS_ERROR' | 'INVALID_TOTP_ERROR' } | Changed;

/** `POST /manage/v1/operator/totp/remove`: from then on a sign-in needs no code. All other sessions end. */
export async function removeTotp(context: Context, { password, totp }: Commands['admin/remove-totp']): Promise<RemoveTotpResult> {
  if (!(await provesPassword(context, password))) return { status: 'INVALID_CREDENTIALS_ERROR' };
  const removed = await changeByCode<RemoveTotpResult>(context, (operator, now) => {
    if (operator.totp && newStepOf(operator.totp, totp, now) === undefined) return { status: 'INVALID_TOTP_ERROR' };
    const { totp: _removed, newTotp: _shown, ...others } = operator;
    return others;
  });
  return removed ?? { status: 'INVALID_TOTP_ERROR' };
}

/** Changes what the operator who asks signs in with, within the limit of wrong codes; undefined over that. */
function changeByCode<R extends { readonly status: string }>(
  context: Context,
  change: (operator: OperatorRecord, now: number) => OperatorRecord | Exclude<R, Changed>,
): Promise<R | Changed | undefined> {
  const { session } = signedInOf(context);
  const { app, userId } = session;
  return withinCodeLimit(context, session, () =>
    context.store.transact(async (tx): Promise<R | Changed> => {
      const operator = await tx.get(operators, [app, userId]);
      if (!operator) throw new Refusal('signed-out');
      const next = change(operator, context.now());
      return 'status' in next ? next : keep(tx, context, next);
    }),
  );
}

async function keep(tx: Transaction, context: Context, operator: OperatorRecord): Promise<Changed> {
  const { session } = signedInOf(context);
  await tx.put(operators, operator);
  const kind = operator.totp ? 'operator.totp-enrolled' : 'operator.totp-removed';
  await recordEvent(tx, context, kind, { details: { operator: operator.userId } });
  const { token, signedIn } = await renewSession(tx, context, session, operator);
  const facts = await factsOf(context, tx, signedIn);
  if (!facts) throw new Refusal('signed-out');
  return { status: 'OK', facts, token };
}
