import { LIMITS } from '../../../src/config/limits.ts';
import type { JsonTree } from '../../../src/json/free-form.ts';

/** The clock of the cases, ms. */
export const NOW = 1_700_000_000_000;
/** A hash in the form of bcrypt. */
export const BCRYPT = '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';

/** A valid login method of each recipe. */
export const ep = { recipeId: 'emailpassword', email: 'a@b.co', plainTextPassword: 'pw' };
export const tp = { recipeId: 'thirdparty', email: 'a@b.co', thirdPartyId: 'google', thirdPartyUserId: 'g' };
export const pless = { recipeId: 'passwordless', email: 'a@b.co' };
const long = (length: number): string => 'x'.repeat(length);

type Case = readonly [what: string, user: JsonTree, errors: readonly string[]];
const method = (what: string, given: JsonTree, ...errors: string[]): Case => [what, { loginMethods: [given] }, errors];
const role = (what: string, given: JsonTree, ...errors: string[]): Case => [what, { userRoles: given, loginMethods: [ep] }, errors];
const device = (what: string, given: JsonTree, ...errors: string[]): Case => [what, { totpDevices: [given], loginMethods: [ep] }, errors];

/** All that is said about one user at a time (contract 05 section 6.3), where one may be `admin` and in `t1`. */
export const CASES: readonly Case[] = [
  ['nothing', {}, ['loginMethods is required.']],
  ['no object', 1, ['A user should be of type object.']],
  ['a list', [], ['A user should be of type object.']],
  [
    'wrong types at the top',
    { externalUserId: [], userMetadata: 1, userRoles: {}, totpDevices: {} },
    [
      'externalUserId should be of type string.',
      'userMetadata should be of type object.',
      'userRoles should be of type array of object.',
      'totpDevices should be of type array of object.',
      'loginMethods is required.',
    ],
  ],
  [
    'null counts as a wrong type',
    { externalUserId: null, userMetadata: null, userRoles: null, totpDevices: null, loginMethods: null },
    [
      'externalUserId should be of type string.',
      'userMetadata should be of type object.',
      'userRoles should be of type array of object.',
      'totpDevices should be of type array of object.',
      'loginMethods should be of type array of object.',
    ],
  ],
  ['a blank id', { externalUserId: ' \t', loginMethods: [ep] }, ['externalUserId should be of type string.']],
  [
    'one id for the user and a login method',
    {
      externalUserId: 'x',
      loginMethods: [
        { ...ep, isPrimary: true },
        { ...tp, externalUserId: ' x ', externalUserIdInfo: 'info' },
      ],
    },
    ['externalUserId x is not unique. It is already used by another user.'],
  ],
  ['ids of login methods in forms that the contract ignores', { loginMethods: [{ ...ep, externalUserId: 7, externalUserIdInfo: [] }] }, []],
  ['a long id', { externalUserId: long(129), loginMethods: [ep] }, [`externalUserId ${long(129)} is too long. Max length is 128.`]],
  ['no login method', { loginMethods: [] }, ['At least one loginMethod is required.']],
  ['a login method that is no object', { loginMethods: [ep, 1] }, ['loginMethods should be of type array of object.']],
  [
    'two primary ones',
    {
      loginMethods: [
        { ...ep, isPrimary: true },
        { ...tp, isPrimary: true },
      ],
    },
    ['No two loginMethods can have isPrimary as true.'],
  ],
  [
    'a huge one',
    { userMetadata: { a: long(LIMITS.metadataBytes) }, loginMethods: [ep] },
    ['userMetadata is too large. Max size is 2097152 bytes.'],
  ],
  [
    'one of very many names',
    { userMetadata: Object.fromEntries(Array.from({ length: LIMITS.metadataMembers + 1 }, (_, at) => [at, 1])), loginMethods: [ep] },
    ['userMetadata has too many names. Max number is 10000.'],
  ],
  method('bare', {}, 'recipeId is required for a loginMethod.'),
  method('a recipe of another type', { recipeId: 1 }, 'recipeId should be of type string for a loginMethod.'),
  method(
    'an unknown recipe',
    { recipeId: 'magic' },
    'Invalid recipeId for loginMethod. Pass one of emailpassword, thirdparty or, passwordless!',
  ),
  method(
    'not even webauthn',
    { recipeId: 'webauthn' },
    'Invalid recipeId for loginMethod. Pass one of emailpassword, thirdparty or, passwordless!',
  ),
  method(
    'wrong types',
    { ...ep, tenantIds: 'public', isVerified: 'true', isPrimary: 1, timeJoinedInMSSinceEpoch: '5' },
    'tenantIds should be of type array of string for a loginMethod.',
    'isVerified should be of type boolean for a loginMethod.',
    'isPrimary should be of type boolean for a loginMethod.',
    'timeJoinedInMSSinceEpoch should be of type integer for a loginMethod',
  ),
  method('a blank tenant', { ...ep, tenantIds: ['public', ' '] }, 'tenantIds should be of type array of string for a loginMethod.'),
  method('in the future', { ...ep, timeJoinedInMSSinceEpoch: NOW + 1 }, 'timeJoined cannot be in future for a loginMethod.'),
  method('before time', { ...ep, timeJoinedInMSSinceEpoch: -1 }, 'timeJoined cannot be < 0 for a loginMethod.'),
  method(
    'emailpassword bare',
    { recipeId: 'emailpassword' },
    'email is required for an emailpassword recipe.',
    'Either (passwordHash, hashingAlgorithm) or plainTextPassword is required for an emailpassword recipe.',
  ),
  method(
    'emailpassword with wrong types',
    { recipeId: 'emailpassword', email: 1, passwordHash: [], hashingAlgorithm: '', plainTextPassword: ' ' },
    'email should be of type string for an emailpassword recipe.',
    'passwordHash should be of type string for an emailpassword recipe.',
    'hashingAlgorithm should be of type string for an emailpassword recipe.',
    'plainTextPassword should be of type string for an emailpassword recipe.',
    'Either (passwordHash, hashingAlgorithm) or plainTextPassword is required for an emailpassword recipe.',
  ),
  method('a long email', { ...ep, email: long(256) }, `email ${long(256)} is too long. Max length is 256.`),
  method(
    'a hash without its algorithm',
    { recipeId: 'emailpassword', email: 'a', passwordHash: BCRYPT },
    'Either (passwordHash, hashingAlgorithm) or plainTextPassword is required for an emailpassword recipe.',
  ),
  method('a hash of another system', { ...ep, passwordHash: '$1$salt$qJH7.N4xYta3aEG/dfqo/0', hashingAlgorithm: 'Md5_Crypt' }),
  method(
    'a hash that is not of its kind',
    { ...ep, passwordHash: '$1$salt$qJH7.N4xYta3aEG/dfqo/0', hashingAlgorithm: 'sha_crypt' },
    'Password hash is in invalid SHA-2 crypt format',
  ),
  method(
    'a hash of another system that costs too much',
    { ...ep, passwordHash: `$5$rounds=999999999$salt$${'A'.repeat(43)}`, hashingAlgorithm: 'sha_crypt' },
    'Password hash costs too much to be verified',
  ),
  method(
    'an unknown algorithm',
    { ...ep, passwordHash: BCRYPT, hashingAlgorithm: 'md5' },
    'Invalid hashingAlgorithm for emailpassword recipe. Pass one of bcrypt, argon2 or, firebase_scrypt!',
  ),
  method('a wrong hash of bcrypt', { ...ep, passwordHash: 'x', hashingAlgorithm: 'bcrypt' }, 'Password hash is in invalid BCrypt format'),
  method(
    'a wrong hash of argon2',
    { ...ep, passwordHash: BCRYPT, hashingAlgorithm: 'Argon2' },
    'Password hash is in invalid Argon2 format',
  ),
  method(
    'a wrong hash of firebase',
    { ...ep, passwordHash: 'x', hashingAlgorithm: 'firebase_scrypt' },
    'Password hash is in invalid Firebase SCrypt format',
  ),
  method(
    'a long hash',
    { ...ep, passwordHash: BCRYPT.padEnd(257, 'x'), hashingAlgorithm: 'bcrypt' },
    'passwordHash is too long. Max length is 256.',
  ),
  method(
    'thirdparty bare',
    { recipeId: 'thirdparty' },
    'email is required for a thirdparty recipe.',
    'thirdPartyId is required for a thirdparty recipe.',
    'thirdPartyUserId is required for a thirdparty recipe.',
  ),
  method(
    'thirdparty, all too long',
    { recipeId: 'thirdparty', email: long(256), thirdPartyId: long(29), thirdPartyUserId: long(257) },
    `email ${long(256)} is too long. Max length is 256.`,
    `thirdPartyId ${long(29)} is too long. Max length is 28.`,
    `thirdPartyUserId ${long(257)} is too long. Max length is 256.`,
  ),
  method('passwordless bare', { recipeId: 'passwordless' }, 'Either email or phoneNumber is required for a passwordless recipe.'),
  method(
    'passwordless with wrong types',
    { recipeId: 'passwordless', email: 1, phoneNumber: null },
    'email should be of type string for a passwordless recipe.',
    'phoneNumber should be of type string for a passwordless recipe.',
    'Either email or phoneNumber is required for a passwordless recipe.',
  ),
  method(
    'a long phone number',
    { recipeId: 'passwordless', phoneNumber: long(257) },
    `phoneNumber ${long(257)} is too long. Max length is 256.`,
  ),
  role('a role of no type', [1], 'userRoles should be of type array of object.'),
  role('a blank role', [' '], 'userRoles should be of type array of object.'),
  role('a bare role', [{}], 'role is required for a user role.', 'tenantIds is required for a user role.'),
  role(
    'a role of wrong types',
    [{ role: 1, tenantIds: 'public' }],
    'role should be of type string for a user role.',
    'tenantIds should be of type array of string for a user role.',
  ),
  role(
    'an unknown long role in an unknown tenant',
    [{ role: ` ${long(255)}`, tenantIds: [' Ghost'] }],
    `role  ${long(255)} is too long. Max length is 255.`,
    `Role ${long(255)} does not exist.`,
    'Invalid tenantId:  Ghost for a user role.',
  ),
  role('plain names', ['admin', ' nobody '], 'Role nobody does not exist.'),
  role(
    'in a tenant the user is not in',
    [{ role: 'admin', tenantIds: ['public', 'T1'] }],
    'TenantId t1 for a user role does not exist in loginMethods.',
  ),
  device('a bare device', {}, 'secretKey is required for a totp device.'),
  device(
    'a device of wrong types',
    { secretKey: 1, period: '30', skew: null, deviceName: '' },
    'secretKey should be of type string for a totp device.',
    'period should be of type integer for a totp device.',
    'skew should be of type integer for a totp device.',
    'deviceName should be of type string for a totp device.',
  ),
  device(
    'a device, all out of bounds',
    { secretKey: long(257), period: 0, skew: -1, deviceName: long(257) },
    `TOTP secretKey ${long(257)} is too long. Max length is 256.`,
    'period should be > 0 for a totp device.',
    'skew should be >= 0 for a totp device.',
    `TOTP deviceName ${long(257)} is too long. Max length is 256.`,
  ),
  device(
    'a device with huge numbers',
    { secretKey: 'a', period: 2 ** 31, skew: 301 },
    'period should be <= 2147483647 for a totp device.',
    'skew should be <= 300 for a totp device.',
  ),
];
