import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { type ExpressApp, startApp } from './express-app.ts';
import { FrontEnd } from './front-end.ts';

const load = createRequire(import.meta.url);
const UserMetadata: typeof import('supertokens-node/recipe/usermetadata/index.js') = load('supertokens-node/recipe/usermetadata');

/** The published Node SDK, unmodified: free-form data about users. */
let core: RunningCore;
let app: ExpressApp;

beforeAll(async () => {
  core = await startCore();
  app = await startApp(core.url, undefined, [UserMetadata.init()]);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

test('is written, merged, read and cleared', async () => {
  const made = await new FrontEnd(app.url, 'header').signUp('metadata@example.com', 'correct-horse-1');
  const { id } = made.body['user'] as { readonly id: string };
  expect(await UserMetadata.getUserMetadata(id)).toEqual({ status: 'OK', metadata: {} });
  expect(await UserMetadata.updateUserMetadata(id, { preferences: { theme: 'dark', tags: [1, null, 'ä'] }, notifications: true })).toEqual({
    status: 'OK',
    metadata: { preferences: { theme: 'dark', tags: [1, null, 'ä'] }, notifications: true },
  });
  expect(await UserMetadata.updateUserMetadata(id, { preferences: { theme: null }, notifications: null, plan: 1.5 })).toEqual({
    status: 'OK',
    metadata: { preferences: { theme: null }, plan: 1.5 },
  });
  expect(await UserMetadata.getUserMetadata(id)).toEqual({ status: 'OK', metadata: { preferences: { theme: null }, plan: 1.5 } });
  expect(await UserMetadata.clearUserMetadata(id)).toEqual({ status: 'OK' });
  expect(await UserMetadata.getUserMetadata(id)).toEqual({ status: 'OK', metadata: {} });
});

test('fifty updates at once of different keys all survive', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `key${at}`);
  await Promise.all(names.map((name) => UserMetadata.updateUserMetadata('busy', { [name]: name })));
  const { metadata } = await UserMetadata.getUserMetadata('busy');
  expect(Object.keys(metadata as object).toSorted()).toEqual(names.toSorted());
});
