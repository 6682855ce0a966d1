import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/config/limits.ts';
import { type JsonTree, parseJson } from '../../../src/json/free-form.ts';
import { ImportRules } from '../../../src/recipes/bulk-import/import-rules.ts';
import { mainMethodOf } from '../../../src/recipes/bulk-import/imported-user.ts';
import { type ValidatedUsers, validateUsers } from '../../../src/recipes/bulk-import/validate-users.ts';
import { BCRYPT, CASES, ep, NOW, pless, tp } from './validation-cases.ts';

const NAMES = { roles: ['admin', 'user'], tenantIds: ['public', 't1', 't2'], hasSignerKey: true };

const rules = (more: Partial<ConstructorParameters<typeof ImportRules>[0]> = {}): ImportRules =>
  new ImportRules({ names: NAMES, now: NOW, randomId: randomUUID, dropsNulls: false, ...more });

const validate = (...users: JsonTree[]): ValidatedUsers => validateUsers(users, rules());
/** What is wrong with one user. */
const errorsOf = (user: JsonTree): readonly string[] => validate(user).invalid[0]?.errors ?? [];
const userOf = (user: JsonTree, given = rules()) => validateUsers([user], given).users[0];

describe('what is wrong with a user', () => {
  test.each(CASES)('%s', (_, user, errors) => {
    expect(errorsOf(user)).toEqual(errors);
  });

  test('tenants that are not there, and a login method that is left without any', () => {
    const [first, second, third, ...others] = errorsOf({
      loginMethods: [
        { ...ep, tenantIds: ['Ghost', 't1'] },
        { ...tp, tenantIds: ['x'] },
        { ...pless, tenantIds: [] },
      ],
    });
    expect([first, second]).toEqual(['Invalid tenantId: Ghost for emailpassword recipe.', 'Invalid tenantId: x for thirdparty recipe.']);
    expect(third).toMatch(/^LoginMethod '\{"tenantIds":\[\],"recipeId":"thirdparty",.*' has no tenantId$/);
    expect(others).toEqual([expect.stringMatching(/"recipeId":"passwordless".* has no tenantId$/)]);
  });

  test('a tenant of a login method without a recipe', () => {
    expect(errorsOf({ loginMethods: [{ tenantIds: ['x'] }] })).toEqual([
      'recipeId is required for a loginMethod.',
      'Invalid tenantId: x for null recipe.',
    ]);
  });

  test('roles are held against the tenants of login methods even where there are none', () => {
    expect(errorsOf({ userRoles: [{ role: 'admin', tenantIds: ['t1'] }] })).toEqual([
      'loginMethods is required.',
      'TenantId t1 for a user role does not exist in loginMethods.',
    ]);
  });

  test('external ids must differ within a request, whatever else is wrong with their users', () => {
    const given = [
      { externalUserId: 'id1' },
      { externalUserId: ' id1' },
      { externalUserId: 'id2', loginMethods: [ep] },
      { externalUserId: 'id2', loginMethods: [ep] },
    ];
    expect(validate(...given).invalid).toEqual([
      { index: 0, errors: ['loginMethods is required.'] },
      { index: 1, errors: ['loginMethods is required.', 'externalUserId  id1 is not unique. It is already used by another user.'] },
      { index: 3, errors: ['externalUserId id2 is not unique. It is already used by another user.'] },
    ]);
  });

  test('a hash of firebase where the app has no key for it', () => {
    const hash = '$f_scrypt$W7gbDZU5v9KFxqE0lYU6jA==$YWFhYWFhYWE=$m=14$r=8$s=Bw==';
    const user = { loginMethods: [{ ...ep, passwordHash: hash, hashingAlgorithm: 'firebase_scrypt' }] };
    expect(errorsOf(user)).toEqual([]);
    const without = rules({ names: { ...NAMES, hasSignerKey: false } });
    expect(validateUsers([user], without).invalid[0]?.errors).toEqual(["'firebase_password_hashing_signer_key' cannot be null"]);
  });

  test('no more is told than anybody reads', () => {
    const many = (count: number): JsonTree[] => Array.from({ length: count }, () => ({}));
    const shapes = [
      { loginMethods: many(100_000) },
      { userRoles: many(100_000) },
      { userRoles: [{ role: 'admin', tenantIds: Array.from({ length: 100_000 }, (_, at) => `x${at}`) }], loginMethods: [ep] },
      { loginMethods: [{ ...ep, tenantIds: Array.from({ length: 100_000 }, (_, at) => `x${at}`) }] },
    ];
    for (const shape of shapes) {
      const errors = errorsOf(shape);
      expect(errors).toHaveLength(LIMITS.importErrors + 1);
      expect(errors.at(-1)).toBe('There are more errors.');
    }
    expect(errorsOf({ totpDevices: many(101), loginMethods: [ep] })).toEqual(['A user can have at most 100 totpDevices.']);
  });

  test('a message is not much longer than what is right', () => {
    const long = 'x'.repeat(1_000_000);
    const tenantIds = Array.from({ length: 200 }, () => 'ghost');
    const errors = [
      ...errorsOf({ externalUserId: long, loginMethods: [{ ...ep, email: long, tenantIds: [] }] }),
      ...errorsOf({ loginMethods: [{ recipeId: long, tenantIds }] }),
    ];
    expect(errors.length).toBeGreaterThan(LIMITS.importErrors);
    for (const error of errors) expect(error.length).toBeLessThan(LIMITS.importErrorChars + 10);
  });

  test('of many users with many faults, each is named, the later ones with one fault', () => {
    const users = Array.from({ length: 2000 }, () => ({ loginMethods: Array.from({ length: 120 }, () => ({})) }));
    const { invalid } = validate(...users);
    expect(invalid.map(({ index }) => index)).toEqual(users.map((_, index) => index));
    expect(invalid[0]?.errors).toHaveLength(LIMITS.importErrors + 1);
    expect(invalid.at(-1)?.errors).toEqual(['recipeId is required for a loginMethod.', 'There are more errors.']);
  });

  test('more passwords than are hashed in one go', () => {
    const methods = (count: number) => Array.from({ length: count }, (_, at) => ({ ...ep, email: `${at}@b.co` }));
    expect(errorsOf({ loginMethods: methods(20) })).toEqual([]);
    expect(errorsOf({ loginMethods: methods(21) })).toEqual(['A user can have at most 20 passwords in plain text.']);
  });

  test('a user that is too much for one transaction', () => {
    const tenantIds = Array.from({ length: 1001 }, (_, at) => `t${at}`);
    const wide = rules({ names: { ...NAMES, tenantIds: ['public', ...tenantIds] } });
    const user = { userRoles: [{ role: 'admin', tenantIds }], loginMethods: [{ ...ep, tenantIds }] };
    expect(validateUsers([user], wide).invalid[0]?.errors).toEqual([
      'loginMethods times their tenants must not be more than 1000.',
      'userRoles times their tenants must not be more than 1000.',
    ]);
  });
});

describe('a valid user', () => {
  test('is normalised, and nothing unknown is kept', () => {
    const user = userOf({
      externalUserId: ' ext ',
      unknown: 1,
      userMetadata: { a: null, n: 1 },
      userRoles: [' admin', { role: 'user ', tenantIds: ['T1 ', 't1'], more: 1 }],
      totpDevices: [
        { secretKey: ' s ', deviceName: ' phone ' },
        { secretKey: 'k', period: 60.9, skew: 0 },
      ],
      loginMethods: [
        {
          ...ep,
          email: ' A@B.co ',
          plainTextPassword: ' pw ',
          passwordHash: ` ${BCRYPT} `,
          hashingAlgorithm: ' bCrypt ',
          isPrimary: true,
          tenantIds: ['PUBLIC', ' t1'],
          superTokensUserId: 'mine',
        },
        { recipeId: 'passwordless', phoneNumber: ' +44 20 7946 0958 ', isVerified: true, timeJoinedInMSSinceEpoch: 5.9 },
      ],
    });
    expect(user).toEqual({
      externalUserId: 'ext',
      userMetadata: '{"a":null,"n":1}',
      userRoles: [
        { role: 'admin', tenantIds: ['public'] },
        { role: 'user', tenantIds: ['t1'] },
      ],
      totpDevices: [
        { secretKey: ' s ', period: 30, skew: 1, deviceName: 'phone' },
        { secretKey: 'k', period: 60, skew: 0, deviceName: undefined },
      ],
      loginMethods: [
        {
          tenantIds: ['public', 't1'],
          isVerified: false,
          isPrimary: true,
          timeJoinedInMSSinceEpoch: NOW,
          recipeId: 'emailpassword',
          email: 'a@b.co',
          passwordHash: BCRYPT,
          hashingAlgorithm: 'BCRYPT',
          plainTextPassword: ' pw ',
          superTokensUserId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
        {
          tenantIds: ['public'],
          isVerified: true,
          isPrimary: false,
          timeJoinedInMSSinceEpoch: 5,
          recipeId: 'passwordless',
          phoneNumber: '+442079460958',
          superTokensUserId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ],
    });
    expect(user && mainMethodOf(user.loginMethods)).toBe(user?.loginMethods[0]);
  });

  test('third-party ids stay as they are', () => {
    const user = userOf({ loginMethods: [{ ...tp, thirdPartyId: ' Google ', thirdPartyUserId: ' G ' }] });
    expect(user?.loginMethods[0]).toMatchObject({ thirdPartyId: ' Google ', thirdPartyUserId: ' G ', email: 'a@b.co' });
  });

  test('metadata on its way into the queue loses members that are null, at every depth; numbers and odd names stay', () => {
    const metadata = parseJson('{"a":null,"b":{"c":null,"d":[null,{"e":null}]},"n":9007199254740993,"__proto__":{"x":1}}');
    const user = { userMetadata: metadata, loginMethods: [ep] };
    expect(userOf(user, rules({ dropsNulls: true }))?.userMetadata).toBe('{"b":{"d":[null,{}]},"n":9007199254740993,"__proto__":{"x":1}}');
    expect(userOf(user)?.userMetadata).toBe('{"a":null,"b":{"c":null,"d":[null,{"e":null}]},"n":9007199254740993,"__proto__":{"x":1}}');
  });

  test('the main login method is the primary one, or the oldest, the first of equals', () => {
    const at = (timeJoinedInMSSinceEpoch: number, isPrimary = false) => ({ timeJoinedInMSSinceEpoch, isPrimary });
    const [young, old, twin, primary] = [at(2), at(1), at(1), at(3, true)];
    expect(mainMethodOf([young, old, twin, primary])).toBe(primary);
    expect(mainMethodOf([young, old, twin])).toBe(old);
  });
});

describe('anything at all', () => {
  /** A generator of numbers in [0, 1) that repeats itself from run to run. */
  const randomFrom = (seed: number) => (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const TEXTS = [
    '',
    ' ',
    'public',
    'T1',
    'admin',
    'emailpassword',
    'thirdparty',
    'passwordless',
    'bcrypt',
    BCRYPT,
    '+1',
    '+442079460958',
    '\ud800',
    'a@b.co',
  ];
  const NAMES_OF_MEMBERS = (
    'externalUserId userMetadata userRoles totpDevices loginMethods role tenantIds secretKey period skew deviceName recipeId isVerified ' +
    'isPrimary timeJoinedInMSSinceEpoch email passwordHash hashingAlgorithm plainTextPassword thirdPartyId thirdPartyUserId phoneNumber ' +
    'superTokensUserId __proto__ constructor toString'
  ).split(' ');

  test('is either taken or complained about, never thrown', () => {
    const random = randomFrom(7);
    const pick = <T>(items: readonly T[], otherwise: T): T => items[Math.floor(random() * items.length)] ?? otherwise;
    const tree = (depth: number): string => {
      const kind = random();
      if (depth > 0 && kind < 0.35)
        return `{${Array.from({ length: Math.floor(random() * 8) }, () => `"${pick(NAMES_OF_MEMBERS, 'x')}":${tree(depth - 1)}`)}}`;
      if (depth > 0 && kind < 0.6) return `[${Array.from({ length: Math.floor(random() * 3) }, () => tree(depth - 1))}]`;
      return pick(
        [
          'null',
          'true',
          'false',
          '0',
          '-1',
          '1e400',
          '-1e400',
          '5.5',
          '9007199254740993',
          '123456789012345678901',
          ...TEXTS.map((text) => JSON.stringify(text)),
        ],
        '0',
      );
    };
    const users = Array.from({ length: 3000 }, () => {
      const roles = random() < 0.5 ? `"userRoles":${tree(3)},` : '';
      return parseJson(
        random() < 0.2
          ? tree(4)
          : `{"externalUserId":${tree(1)},${roles}"totpDevices":[${tree(2)}],"loginMethods":[${tree(3)},{"recipeId":"${pick(TEXTS, '')}","email":${tree(1)},"phoneNumber":${tree(1)}}]}`,
      );
    });
    const { invalid, users: valid } = validateUsers(users, rules());
    expect(invalid.length + valid.length).toBe(users.length);
    for (const { errors } of invalid) expect(errors.length).toBeGreaterThan(0);
  });
});
