import { expect, test } from 'vitest';
import type { FoundId } from '../../../src/recipes/accounts/find.ts';
import { asExternal, asInternal } from '../../../src/recipes/accounts/ids.ts';
import { methodById } from '../../../src/recipes/accounts/login-methods.ts';
import { mappingByExternalId, mappingByInternalId } from '../../../src/recipes/accounts/mappings.ts';
import { putMapping } from '../../../src/recipes/accounts/write-mapping.ts';
import { sessionKey, sessions } from '../../../src/recipes/session-records/records.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { appNumber, tenantNumber } from '../../numbers.ts';

const app = appNumber(1);
const tenant = tenantNumber(2);

/** What compiles and what does not; never run. */
export const mistakes = (tx: Transaction, { internalId, externalId = asExternal('e') }: FoundId, sent: string): unknown[] => [
  methodById(tx, app, internalId),
  // @ts-expect-error an external id is no internal one
  methodById(tx, app, externalId),
  // @ts-expect-error nobody knows yet what a caller sent
  methodById(tx, app, sent),
  // @ts-expect-error an external id is no internal one
  mappingByInternalId(app, externalId),
  // @ts-expect-error an internal id is no external one
  mappingByExternalId(app, internalId),
  // @ts-expect-error the one in the place of the other
  putMapping(tx, { app, superTokensUserId: externalId, externalUserId: internalId, externalUserIdInfo: null }),
  tx.get(sessions, sessionKey({ app, tenant }, sent)),
  // @ts-expect-error a user id is no session handle
  tx.get(sessions, [app, tenant, internalId]),
];

test('ids are the texts themselves', () => {
  expect([asInternal('a'), asExternal('b'), ...sessionKey({ app, tenant }, 'c')]).toEqual(['a', 'b', 1, 2, 'c']);
});
