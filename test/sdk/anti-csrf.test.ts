import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { type ExpressApp, startApp } from './express-app.ts';
import { FrontEnd } from './front-end.ts';

/** The SDK with anti-CSRF tokens switched on, in cookies, where they matter. */
let core: RunningCore;
let app: ExpressApp;
beforeAll(async () => {
  core = await startCore();
  app = await startApp(core.url, { antiCsrf: 'VIA_TOKEN' });
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

test('a request from elsewhere, with the cookies but without the token, is not served', async () => {
  const front = new FrontEnd(app.url, 'cookie');
  await front.signUp('csrf@example.com', 'correct-horse-1');
  expect(front.antiCsrf).not.toBe('');
  expect((await front.post('/claims', { a: 'b' })).status).toBe(200);

  const forged = new FrontEnd(app.url, 'cookie');
  forged.access = front.access;
  forged.refreshToken = front.refreshToken;
  expect((await forged.post('/claims', { a: 'c' })).status).toBe(401);
  expect((await forged.refresh()).status).toBe(401);

  const before = front.antiCsrf;
  expect((await front.refresh()).status).toBe(200);
  expect(front.antiCsrf).not.toBe(before);
  expect((await front.post('/claims', { a: 'd' })).body['claims']).toMatchObject({ a: 'd' });
});
