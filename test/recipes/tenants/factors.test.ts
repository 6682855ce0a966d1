import { describe, expect, test } from 'vitest';
import {
  baseState,
  enabledBelow5,
  enabledFrom5,
  factorConflict,
  type FactorGeneration,
  factorNameComplaint,
  type FactorRequest,
  type FactorState,
  shownFirstFactors,
  updateFactors,
} from '../../../src/recipes/tenants/factors.ts';
import type { EnabledRecipes } from '../../../src/recipes/tenants/tenant.ts';

type Step = readonly [FactorGeneration, FactorRequest];
type List = readonly string[] | null | undefined;

const EP = 'emailpassword';
const TP = 'thirdparty';
const PL4 = ['otp-email', 'otp-phone', 'link-email', 'link-phone'];
const ALL6 = [EP, TP, ...PL4];

/** A request in the short names of the golden table. */
function ask({
  ep,
  tp,
  pl,
  ff,
  sf,
}: {
  ep?: boolean;
  tp?: boolean;
  pl?: boolean;
  ff?: string[] | null;
  sf?: string[] | null;
}): FactorRequest {
  return { emailPasswordEnabled: ep, thirdPartyEnabled: tp, passwordlessEnabled: pl, firstFactors: ff, requiredSecondaryFactors: sf };
}

const letters = ({ emailPassword, thirdParty, passwordless }: EnabledRecipes): string =>
  [emailPassword, thirdParty, passwordless].map((is) => (is ? 'T' : 'F')).join('');
const sorted = (list: List): List => list && list.toSorted();

interface Golden {
  readonly target: 'new' | 'public';
  readonly steps: readonly Step[];
  /** Flags, first factors, required secondary factors. */
  readonly after: readonly [string, List, List];
  readonly en4: string;
  readonly en5: string;
  /** First factors shown by v1 and by v2; undefined: left out. */
  readonly v1: List;
  readonly v2: List;
}

const golden = (
  target: Golden['target'],
  steps: readonly Step[],
  after: Golden['after'],
  en4: string,
  en5: string,
  v1: List,
  v2: List,
): Golden => ({
  target,
  steps,
  after,
  en4,
  en5,
  v1,
  v2,
});

/** Contract 04 section 3.9. */
const TABLE: readonly Golden[] = [
  golden('new', [['4', {}]], ['FFF', [], null], 'FFF', 'FFF', undefined, []),
  golden('new', [['4', ask({ ep: true })]], ['TFF', [EP], null], 'TFF', 'TFF', [EP], [EP]),
  golden('new', [['4', ask({ ep: true, tp: true, pl: true })]], ['TTT', ALL6, null], 'TTT', 'TTT', ALL6, ALL6),
  golden('public', [['4', {}]], ['TTT', null, null], 'TTT', 'TTT', undefined, undefined),
  golden('public', [['4', ask({ tp: false })]], ['TTT', [EP, ...PL4], null], 'TFT', 'TTT', [EP, ...PL4], [EP, ...PL4]),
  golden('public', [['4', ask({ ep: false, tp: false, pl: false })]], ['TTT', [], null], 'FFF', 'FFF', undefined, []),
  golden('new', [['5', {}]], ['FFF', null, null], 'FFF', 'FFF', undefined, []),
  golden('new', [['5', ask({ ep: true })]], ['TFF', null, null], 'TFF', 'TFF', undefined, [EP]),
  golden('new', [['5', ask({ ff: ['otp-phone'] })]], ['FFT', ['otp-phone'], null], 'FFT', 'FFT', ['otp-phone'], ['otp-phone']),
  golden('new', [['5', ask({ ff: ['custom'] })]], ['FFF', ['custom'], null], 'FFF', 'FFF', ['custom'], ['custom']),
  golden('new', [['5', ask({ sf: ['otp-phone'] })]], ['FFT', [], ['otp-phone']], 'FFF', 'FFF', undefined, []),
  golden('new', [['5', ask({ ep: true, sf: ['otp-phone'] })]], ['TFT', [EP], ['otp-phone']], 'TFF', 'TFT', [EP], [EP]),
  golden('new', [['5', ask({ ep: true, tp: true, pl: true, ff: [EP], sf: ['totp'] })]], ['TTT', [EP], ['totp']], 'TFF', 'TTT', [EP], [EP]),
  golden('public', [['5', {}]], ['TTT', null, null], 'TTT', 'TTT', undefined, undefined),
  golden('public', [['5', ask({ tp: false })]], ['TFT', null, null], 'TFT', 'TFT', undefined, [EP, ...PL4]),
  golden('public', [['5', ask({ ff: [EP] })]], ['TTT', [EP], null], 'TFF', 'TTT', [EP], [EP]),
  golden('public', [['5', ask({ sf: ['otp-email'] })]], ['TTT', null, ['otp-email']], 'TTT', 'TTT', undefined, undefined),
  golden('public', [['5', ask({ tp: false, sf: ['otp-email'] })]], ['TFT', null, ['otp-email']], 'TFT', 'TFT', undefined, [EP, ...PL4]),
  golden('new', [['v2', {}]], ['TTT', [], null], 'FFF', 'FFF', undefined, []),
  golden('new', [['v2', ask({ ff: [EP] })]], ['TTT', [EP], null], 'TFF', 'TTT', [EP], [EP]),
  golden('new', [['v2', ask({ ff: null })]], ['TTT', null, null], 'TTT', 'TTT', undefined, undefined),
  golden('new', [['v2', ask({ ff: [] })]], ['TTT', [], null], 'FFF', 'FFF', undefined, []),
  golden('new', [['v2', ask({ sf: ['totp'] })]], ['TTT', [], ['totp']], 'FFF', 'FFF', undefined, []),
  golden('new', [['v2', ask({ ff: [EP], sf: ['otp-email'] })]], ['TTT', [EP], ['otp-email']], 'TFF', 'TTT', [EP], [EP]),
  golden('public', [['v2', {}]], ['TTT', null, null], 'TTT', 'TTT', undefined, undefined),
  golden(
    'public',
    [['v2', ask({ ff: [EP, 'otp-phone'] })]],
    ['TTT', [EP, 'otp-phone'], null],
    'TFT',
    'TTT',
    [EP, 'otp-phone'],
    [EP, 'otp-phone'],
  ),
  golden('public', [['v2', ask({ ff: [] })]], ['TTT', [], null], 'FFF', 'FFF', undefined, []),
  golden('public', [['v2', ask({ sf: ['totp'] })]], ['TTT', null, ['totp']], 'TTT', 'TTT', undefined, undefined),
  golden(
    'new',
    [
      ['4', {}],
      ['v2', ask({ ff: [EP, 'otp-phone'] })],
    ],
    ['TTT', [EP, 'otp-phone'], null],
    'TFT',
    'TTT',
    [EP, 'otp-phone'],
    [EP, 'otp-phone'],
  ),
  golden(
    'new',
    [
      ['4', {}],
      ['5', ask({ ep: true })],
    ],
    ['TFF', null, null],
    'TFF',
    'TFF',
    undefined,
    [EP],
  ),
  golden(
    'new',
    [
      ['5', ask({ ep: true, tp: true })],
      ['5', ask({ ff: ['otp-phone'] })],
    ],
    ['TTT', ['otp-phone'], null],
    'FFT',
    'TTT',
    ['otp-phone'],
    ['otp-phone'],
  ),
  golden(
    'new',
    [
      ['v2', {}],
      ['5', ask({ ep: true })],
    ],
    ['TFF', null, null],
    'TFF',
    'TFF',
    undefined,
    [EP],
  ),
  golden(
    'new',
    [
      ['v2', {}],
      ['4', ask({ ep: true })],
    ],
    ['TTT', [EP], null],
    'TFF',
    'TTT',
    [EP],
    [EP],
  ),
  golden(
    'new',
    [
      ['v2', ask({ ff: [EP, TP] })],
      ['5', ask({ tp: false })],
    ],
    ['TFT', [EP], null],
    'TFF',
    'TFT',
    [EP],
    [EP],
  ),
  golden(
    'new',
    [
      ['v2', ask({ ff: [EP, TP] })],
      ['4', ask({ tp: false })],
    ],
    ['TTT', [EP], null],
    'TFF',
    'TTT',
    [EP],
    [EP],
  ),
  golden(
    'new',
    [
      ['v2', ask({ ff: [EP] })],
      ['5', ask({ ff: null })],
    ],
    ['TTT', null, null],
    'TTT',
    'TTT',
    undefined,
    undefined,
  ),
  golden(
    'new',
    [
      ['v2', ask({ ff: [EP] })],
      ['v2', ask({ ff: [] })],
    ],
    ['TTT', [], null],
    'FFF',
    'FFF',
    undefined,
    [],
  ),
  golden(
    'new',
    [
      ['5', ask({ ep: true })],
      ['v2', ask({ sf: ['totp'] })],
    ],
    ['TTT', [EP], ['totp']],
    'TFF',
    'TTT',
    [EP],
    [EP],
  ),
  golden(
    'new',
    [
      ['5', ask({ ep: true })],
      ['5', ask({ sf: ['otp-email'] })],
    ],
    ['TFT', [EP], ['otp-email']],
    'TFF',
    'TFT',
    [EP],
    [EP],
  ),
  golden(
    'new',
    [
      ['5', ask({ ep: true })],
      ['v2', ask({ ff: null })],
    ],
    ['TTT', null, null],
    'TTT',
    'TTT',
    undefined,
    undefined,
  ),
  golden(
    'public',
    [
      ['v2', ask({ ff: [EP] })],
      ['5', ask({ ep: false })],
    ],
    ['FTT', [], null],
    'FFF',
    'FFF',
    undefined,
    [],
  ),
  golden(
    'public',
    [
      ['5', ask({ sf: ['otp-email', 'totp'] })],
      ['5', ask({ pl: false })],
    ],
    ['TTF', null, ['totp']],
    'TTF',
    'TTF',
    undefined,
    [EP, TP],
  ),
  golden(
    'public',
    [
      ['5', ask({ sf: ['otp-email'] })],
      ['5', ask({ pl: false })],
    ],
    ['TTF', null, null],
    'TTF',
    'TTF',
    undefined,
    [EP, TP],
  ),
];

function run({ target, steps }: Golden): FactorState {
  const [first] = steps;
  return steps.reduce(
    (state, [generation, request]) => updateFactors(generation, state, request),
    baseState(first?.[0] ?? 'v2', target === 'public'),
  );
}

describe('the golden table', () => {
  test.each(TABLE.map((row) => [`${row.target}: ${JSON.stringify(row.steps)}`, row] as const))('%s', (_, row) => {
    const state = run(row);
    const [flags, firstFactors, requiredSecondaryFactors] = row.after;
    expect(letters(state.flags)).toBe(flags);
    expect(sorted(state.firstFactors)).toEqual(sorted(firstFactors));
    expect(sorted(state.requiredSecondaryFactors)).toEqual(sorted(requiredSecondaryFactors));
    expect(letters(enabledBelow5(state))).toBe(row.en4);
    expect(letters(enabledFrom5(state))).toBe(row.en5);
    expect(sorted(state.firstFactors?.length ? state.firstFactors : undefined)).toEqual(sorted(row.v1));
    expect(sorted(shownFirstFactors(state))).toEqual(sorted(row.v2));
  });
});

describe('complaints', () => {
  test.each([
    [ask({ ep: false, ff: [EP] }), "firstFactors should not contain 'emailpassword' because emailPassword is disabled for the tenant."],
    [
      ask({ ep: false, sf: [EP] }),
      "requiredSecondaryFactors should not contain 'emailpassword' because emailPassword is disabled for the tenant.",
    ],
    [ask({ tp: false, ff: [TP] }), "firstFactors should not contain 'thirdparty' because thirdParty is disabled for the tenant."],
    [
      ask({ pl: false, ff: ['link-email', 'otp-phone'] }),
      "firstFactors should not contain 'otp-phone' because passwordless is disabled for the tenant.",
    ],
  ])('%o', (request, text) => {
    expect(factorConflict(request)).toBe(`Invalid core config: ${text}`);
  });

  test('a factor of an enabled recipe is none', () => {
    expect(factorConflict(ask({ ep: false, ff: [TP] }))).toBeUndefined();
  });

  test('factor ids keep to their alphabet, round brackets included', () => {
    const state = baseState('v2', true);
    expect(factorNameComplaint({ ...state, firstFactors: ['a b'] })).toBe('firstFactors should contain only 0-9,a-z,A-Z,_,.,- characters');
    expect(factorNameComplaint({ ...state, requiredSecondaryFactors: ['é'] })).toMatch(/^requiredSecondaryFactors should/);
    expect(factorNameComplaint({ ...state, firstFactors: ['a_(B).-9'] })).toBeUndefined();
    expect(factorNameComplaint({ ...state, firstFactors: ['x'.repeat(129)] })).toMatch(/at most 64 ids of at most 128 characters$/);
  });
});
