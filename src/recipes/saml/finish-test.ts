import { sha256Hex } from '../../crypto/digests.ts';
import type { SamlIdentity } from '../../crypto/saml/saml.ts';
import type { Transaction } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { findClient } from './clients.ts';
import { expectationOf } from './expectation.ts';
import { explainResponse, type TestExplanation } from './explain-response.ts';
import { FAILED, type FinishLoginResult, type IdpAnswer, MALFORMED_TEXT } from './login-outcome.ts';
import { type SamlTestRecord, samlTests, samlUsedAssertions, type UsedAssertionRecord } from './records.ts';
import { decryptionKeys } from './sp-credentials.ts';
import { isWaiting } from './test-state.ts';

/**
 * Checks what an identity provider answered to a test as it checks a login, keeps what it found, and ends the test.
 * The assertion is used up with it, so that nobody who sees it there can log in by it. No code is made: what is
 * accepted ends at the page of the operator, and everything else is answered as a login would be. @throws Refusal
 */
export async function finishTest(context: Context, tenant: Tenant, answer: IdpAnswer, test: SamlTestRecord): Promise<FinishLoginResult> {
  const { store, crypto } = context;
  const [client, keys] = await store.read((reader) =>
    Promise.all([findClient(reader, tenant, test.clientId), decryptionKeys(context, reader, tenant)]),
  );
  if (!client) {
    const ended = await endTest(context, test, undefined, () => CLIENT_GONE);
    return ended === 'over' ? UNKNOWN_STATE : { status: 'INVALID_CLIENT_ERROR' };
  }
  const requestIds = [test.requestId, answer.relayState ?? ''];
  const expected = expectationOf(context, tenant, { client, requestIds, acsUrl: test.acsUrl, decryptionKeys: keys });
  const checked = await crypto.checkSamlResponse({ samlResponse: answer.samlResponse, expected, explains: true });
  const proven = checked.status === 'OK' ? { ...checked, idpEntityId: client.idpEntityId } : undefined;
  const ended = await endTest(context, test, proven, (isReplay) => explainResponse(checked, { expected, tenant, isReplay }));
  if (ended === 'over') return UNKNOWN_STATE;
  if (checked.status === 'MALFORMED') throw new Refusal('bad-input', { text: MALFORMED_TEXT });
  return ended === 'accepted' ? { status: 'OK', redirectURI: test.returnUri } : FAILED;
}

const UNKNOWN_STATE: FinishLoginResult = { status: 'INVALID_RELAY_STATE_ERROR' };
const CLIENT_GONE: TestExplanation = {
  summary: 'The client was removed after the test began. Connect the identity provider again, and start another test.',
  checks: [],
  warnings: [],
};

/** An assertion that holds, of the identity provider by the name that its client has for it. */
type ProvenAssertion = Pick<SamlIdentity, 'assertionId' | 'keepUntil'> & Pick<UsedAssertionRecord, 'idpEntityId'>;

/** In one transaction; of several answers to a test one counts. */
function endTest(
  { store, now }: Context,
  test: SamlTestRecord,
  proven: ProvenAssertion | undefined,
  explain: (isReplay: boolean) => TestExplanation,
): Promise<'accepted' | 'refused' | 'over'> {
  return store.transact(async (tx) => {
    const time = now();
    const current = await tx.get(samlTests, samlTests.key(test));
    if (!current || !isWaiting(current, time)) return 'over';
    const isReplay = proven !== undefined && (await useUp(tx, test, proven, time));
    const isAccepted = proven !== undefined && !isReplay;
    await tx.put(samlTests, { ...current, endedAt: time, isAccepted, explanation: JSON.stringify(explain(isReplay)) });
    return isAccepted ? 'accepted' : 'refused';
  });
}

/** Notes that an assertion was used; answers whether it had been before. */
async function useUp(
  tx: Transaction,
  { app, tenant }: SamlTestRecord,
  { idpEntityId, assertionId, keepUntil }: ProvenAssertion,
  time: number,
): Promise<boolean> {
  const used: UsedAssertionRecord = { app, tenant, idpEntityId, assertionHash: sha256Hex(assertionId), expiresAt: keepUntil };
  const earlier = await tx.get(samlUsedAssertions, samlUsedAssertions.key(used));
  if (earlier && earlier.expiresAt >= time) return true;
  await tx.put(samlUsedAssertions, used);
  return false;
}
