import { describe, expect, test } from 'vitest';
import type { JsonText } from '../../../src/json/free-form.ts';
import { decideLegacyRefresh, decideRotatingRefresh, holdsLineage, withCurrent } from '../../../src/recipes/session/lineage.ts';
import type { SessionRecord } from '../../../src/recipes/session-records/records.ts';
import { appNumber, tenantNumber } from '../../numbers.ts';

const EMPTY = '{}' as JsonText;
const row = (over: Partial<SessionRecord> = {}): SessionRecord => ({
  app: appNumber(1),
  tenant: tenantNumber(2),
  handle: 'h' as SessionRecord['handle'],
  userId: 'u',
  refreshHash: 'current',
  previousRefreshHash: null,
  rotatedAt: null,
  data: EMPTY,
  claims: EMPTY,
  createdAt: 0,
  expiresAt: 1000,
  useStaticKey: false,
  ...over,
});
const token = (hash2: string, parentHash2: string | null = null) => ({ hash2, parentHash2 });
const rotated = row({ previousRefreshHash: 'previous', rotatedAt: 100 });

describe('legacy refresh (contract 02 section 2.4)', () => {
  test.each([
    ['the current token', token('current', 'older'), { kind: 'sibling' }],
    ['the unpromoted child of the current one', token('child', 'current'), { kind: 'promote' }],
    ['the token before', token('previous', 'older'), { kind: 'reuse', subtype: 'STALE_LINEAGE' }],
    ['a token from nowhere', token('x'), { kind: 'reuse', subtype: 'STALE_LINEAGE' }],
  ])('%s', (_name, presented, decision) => {
    expect(decideLegacyRefresh(rotated, presented)).toEqual(decision);
  });
});

describe('rotating refresh (contract 02 section 2.4, CDI 5.6)', () => {
  test.each([
    ['the current token', rotated, token('current', 'previous'), 500, { kind: 'rotate' }],
    ['a legacy child of the current one', rotated, token('child', 'current'), 500, { kind: 'rotate' }],
    ['the previous token at the last moment of grace', rotated, token('previous', 'older'), 130, { kind: 'rotate-again' }],
    ['the previous token after grace', rotated, token('previous', 'older'), 131, { kind: 'reuse', subtype: 'RECENT_PREV' }],
    ['the previous token of a rotation that lies ahead', rotated, token('previous', 'older'), 1, { kind: 'rotate-again' }],
    ['a displaced sibling', rotated, token('lost', 'previous'), 110, { kind: 'reuse', subtype: 'ORPHANED_BRANCH' }],
    ['a token two turns old', rotated, token('older', 'oldest'), 110, { kind: 'reuse', subtype: 'STALE_LINEAGE' }],
    ['a stranger to a session that never rotated', row(), token('x', 'y'), 110, { kind: 'reuse', subtype: 'STALE_LINEAGE' }],
  ])('%s', (_name, session, presented, now, decision) => {
    expect(decideRotatingRefresh(session, presented, 30, now)).toEqual(decision);
  });
});

test('a token that becomes current pushes the one before it back', () => {
  expect(withCurrent(row(), 'next', 7, 2000)).toEqual(
    row({ refreshHash: 'next', previousRefreshHash: 'current', rotatedAt: 7, expiresAt: 2000 }),
  );
});

test('lineage holds for the current and the previous token and for children of either', () => {
  expect(holdsLineage(rotated, 'current', null)).toBe(true);
  expect(holdsLineage(rotated, 'previous', null)).toBe(true);
  expect(holdsLineage(rotated, 'child', 'current')).toBe(true);
  expect(holdsLineage(rotated, 'sibling', 'previous')).toBe(true);
  expect(holdsLineage(rotated, 'older', 'oldest')).toBe(false);
  expect(holdsLineage(row(), 'x', null)).toBe(false);
});
