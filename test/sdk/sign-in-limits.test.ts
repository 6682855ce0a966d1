import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { type ExpressApp, startApp } from './express-app.ts';
import { FrontEnd } from './front-end.ts';

/** Guessing is stopped per account and per address of the end user, which the SDK hands on. */
const PASSWORD = 'correct-horse-1';
const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;

let core: RunningCore;
let app: ExpressApp;
beforeAll(async () => {
  core = await startCore({
    env: { SIGN_IN_FAILURES_PER_ACCOUNT: '4', SIGN_IN_FAILURES_PER_ADDRESS: '6', SIGN_IN_ADDRESS_HEADER: 'X-User-Address' },
  });
  app = await startApp(core.url);
  for (const name of NAMES) expect((await from('').signUp(`${name}@example.com`, PASSWORD)).body['status']).toBe('OK');
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

function from(address: string): FrontEnd {
  const front = new FrontEnd(app.url, 'header');
  front.address = address;
  return front;
}

const entering = async (address: string, name: string, password: string): Promise<unknown> =>
  (await from(address).signIn(`${name}@example.com`, password)).body['status'];

test('guesses at one account end wherever they come from, guesses from one place whomever they are at', async () => {
  for (let at = 1; at <= 4; at += 1) expect(await entering(`192.0.2.${at}`, 'a', 'wrong-horse-1')).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await entering('192.0.2.9', 'a', PASSWORD)).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await entering('192.0.2.9', 'b', PASSWORD)).toBe('OK');
  // Of accounts that exist: the SDK itself turns others away, without asking the core to sign them in.
  for (const name of ['c', 'd', 'e', 'c', 'd', 'e'])
    expect(await entering('2001:db8::1', name, 'wrong-horse-1')).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await entering('2001:db8::2', 'b', PASSWORD)).toBe('WRONG_CREDENTIALS_ERROR');
  expect(await entering('2001:db8:0:1::2', 'b', PASSWORD)).toBe('OK');
});
