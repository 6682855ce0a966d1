import { describe, expect, test } from 'vitest';
import { normalisePath } from '../../src/http/path.ts';
import { Router } from '../../src/http/router.ts';
import { Refusal } from '../../src/recipes/refusal.ts';
import { echo } from './fixtures.ts';

const PATHS = [
  '/', '/hello', '/config', '/users', '/users/count', '/user/id', '/recipe/signup', '/recipe/session/verify', '/.well-known/jwks.json',
  '/bulk-import/users', '/bulk-import/users/count', '/recipe/webauthn/user/credential/', '/recipe/user', '/apiversion',
]; // biome-ignore format: a list of words
const ROUTES = [
  ...PATHS.map((path) => echo('GET', path)),
  echo('POST', '/recipe/signup'),
  ...(['emailpassword', 'thirdparty', 'passwordless'] as const).map((rid) => echo('PUT', '/recipe/user', { rid })),
];
const router = new Router(ROUTES, '');

function shown(raw: string, by = router): string {
  try {
    const { endpoint, appId, tenantId, isUnknown } = by.match(raw);
    return `${endpoint.path || '/'} ${appId} ${tenantId}${isUnknown ? ' unknown' : ''}`;
  } catch (error) {
    if (error instanceof Refusal) return error.refusal;
    throw error;
  }
}

describe('paths of contract 01 sections 2.3 and 2.4', () => {
  test.each([
    ['/hello', '/hello public public'],
    ['/hello/', '/hello public public'],
    ['/HELLO', '/hello public public'],
    ['/Recipe/SignUp', '/recipe/signup public public'],
    ['/public/recipe/signup', '/recipe/signup public public'],
    ['/t1/recipe/signup', '/recipe/signup public t1'],
    ['/T1/recipe/signup/', '/recipe/signup public t1'],
    ['/appid-a1/recipe/signup', '/recipe/signup a1 public'],
    ['/appid-a1/t1/recipe/signup', '/recipe/signup a1 t1'],
    ['/appid-/t2/recipe/signup', '/recipe/signup public t2'],
    ['/appid-public/recipe/signup', '/recipe/signup public public'],
    ['/appid-appid-abc/hello', '/hello appid-abc public'],
    ['/recipe/recipe/signup', '/ public public unknown'],
    ['/hello/hello', '/ public public unknown'],
    ['/user/users', '/users public user'],
    ['/user/user/id', '/user/id public user'],
    ['/bulk-import/users', '/bulk-import/users public public'],
    ['/appid-a/bulk-import/users', '/bulk-import/users a public'],
    ['/appid-a/bulk-import/users/count', '/bulk-import/users/count a public'],
    ['/bulk-import/hello', '/hello public bulk-import'],
    ['/recipe/webauthn/user/credential', '/recipe/webauthn/user/credential public public'],
    ['/recipe/webauthn/user/credential/', '/recipe/webauthn/user/credential public public'],
    ['/t1/recipe/webauthn/user/credential/', '/recipe/webauthn/user/credential public t1'],
    ['/.well-known/jwks.json', '/.well-known/jwks.json public public'],
    ['/appid-a1/t1/.well-known/jwks.json', '/.well-known/jwks.json a1 t1'],
    ['/t_1/recipe/signup', '/ public public unknown'],
    ['/a/b/recipe/signup', '/ public public unknown'],
  ])('%s', (raw, expected) => expect(shown(raw)).toBe(expected));
});

describe('the root endpoint of section 3.1', () => {
  test.each([
    ['/', '/ public public'],
    ['', '/ public public'],
    ['/public', '/ public public'],
    ['/public/', '/ public public'],
    ['/appid-public', '/ public public'],
    ['/appid-a1', '/ a1 public'],
    ['/appid-a1/', '/ a1 public'],
    ['/appid-a1/public', '/ a1 public'],
    ['/appid-a1/t1/', '/ a1 t1'],
    ['/t1', '/ public t1'],
    ['/abcd', '/ public abcd'],
    ['/user', '/ public user'],
    ['/recipe', '/ public public unknown'],
    ['/recipe/', '/ public public unknown'],
    ['/users/x', '/ public public unknown'],
    ['/a/b/c', '/ public public unknown'],
    ['/appid-nosuch/x', '/ nosuch x'],
    ['/appid-APP1', '/ app1 public unknown'],
    ['/T1', '/ public t1 unknown'],
  ])('%s', (raw, expected) => expect(shown(raw)).toBe(expected));
});

describe('path syntax', () => {
  test.each([
    ['//recipe///signup', '/recipe/signup public public'],
    ['/recipe/./signup', '/recipe/signup public public'],
    ['/x/../recipe/signup', '/recipe/signup public public'],
    ['/recipe;a=b/signup;c', '/recipe/signup public public'],
    ['/recipe/sign%75p', '/recipe/signup public public'],
    ['/%72ecipe/signup/', '/recipe/signup public public'],
    ['/../hello', 'path-invalid'],
    ['/recipe%2Fsignup', 'path-invalid'],
    ['/recipe%5csignup', 'path-invalid'],
    ['/%ff', 'path-invalid'],
    ['/%00', 'path-invalid'],
    ['/a{b}', 'path-invalid'],
    ['/a|b', 'path-invalid'],
    ['*', 'path-invalid'],
    ['http://host/hello', 'path-invalid'],
  ])('%s', (raw, expected) => expect(shown(raw)).toBe(expected));

  test('what is plain stays as it is', () => {
    for (const path of PATHS) expect(normalisePath(path)).toBe(path);
  });

  test('hostile paths are read in one pass', () => {
    // Much longer than any that is let in: time in the square of the length would be many minutes, and so beyond the limit of every test.
    const shows: readonly (readonly [path: string, expected: string])[] = [
      [`/${'a/'.repeat(500_000)}!`, '/ public public unknown'],
      [`/${'a'.repeat(1_000_000)}!`, '/ public public unknown'],
      ['/..'.repeat(300_000), 'path-invalid'],
      [';'.repeat(1_000_000), 'path-invalid'],
      [`/${';/'.repeat(500_000)}`, '/ public public'],
    ];
    for (const [path, expected] of shows) expect(shown(path)).toBe(expected);
  });
});

describe('base path', () => {
  const based = new Router(ROUTES, '/Some/path');
  test.each([
    ['/Some/path', '/ public public'],
    ['/Some/path/', '/ public public'],
    ['/Some/path/hello', '/hello public public'],
    ['/Some/path/HELLO/', '/hello public public'],
    ['/Some/path/appid-a/t/hello', '/hello a t'],
    ['/some/path/hello', 'not-found'],
    ['/hello', 'not-found'],
    ['/Some/pathhello', 'not-found'],
  ])('%s', (raw, expected) => expect(shown(raw, based)).toBe(expected));

  test('may be named like an endpoint', () => {
    const hello = new Router(ROUTES, '/hello');
    expect(shown('/hello', hello)).toBe('/ public public');
    expect(shown('/hello/hello', hello)).toBe('/hello public public');
  });
});

describe('rows of an endpoint', () => {
  const rowOf = (path: string, method: string, rid?: string): string => {
    try {
      const row = Router.rowOf(router.match(path).endpoint, method, rid);
      return row.rid ?? row.method;
    } catch (error) {
      return error instanceof Refusal ? error.refusal : String(error);
    }
  };
  test.each([
    ['/recipe/signup', 'POST', undefined, 'POST'],
    ['/recipe/signup', 'DELETE', undefined, 'method-not-supported'],
    ['/recipe/signup', 'HEAD', undefined, 'GET'],
    ['/recipe/user', 'HEAD', 'thirdparty', 'method-not-supported'],
    ['/recipe/signup', 'OPTIONS', undefined, 'method-not-supported'],
    ['/recipe/signup', 'PATCH', undefined, 'method-not-supported'],
    ['/recipe/signup', 'FETCH', undefined, 'method-unknown'],
    ['/recipe/user', 'PUT', 'thirdparty', 'thirdparty'],
    ['/recipe/user', 'PUT', undefined, 'emailpassword'],
    ['/recipe/user', 'PUT', 'ThirdParty', 'emailpassword'],
  ])('%s %s rid %s', (path, method, rid, expected) => expect(rowOf(path, method, rid)).toBe(expected));
});
