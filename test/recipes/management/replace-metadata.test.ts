import { beforeEach, expect, test } from 'vitest';
import { parseEvent, pendingEvents } from '../../../src/recipes/audit/records.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const PATH = '/manage/v1/user/metadata';

let core: InProcessCore;

beforeEach(async () => {
  core = await openInProcessCore('5.4');
});

/** What the endpoint answers to bodies as they stand on the wire. */
async function replace(metadata: string, expected: string): Promise<string> {
  const { status, text } = await core.send('POST', PATH, `{"userId":"u1","metadata":${metadata},"expected":${expected}}`);
  return `${status} ${text.trimEnd()}`;
}

const ok = (metadata: string): string => `200 {"status":"OK","metadata":${metadata}}`;
const changed = (metadata: string): string => `200 {"status":"CHANGED_MEANWHILE_ERROR","metadata":${metadata}}`;

async function kept(): Promise<string> {
  return (await core.send('GET', '/recipe/user/metadata?userId=u1', '')).text.trimEnd();
}

test('the first of two who edit the same is taken, the second is told', async () => {
  expect(await replace('{"plan":"gold","note":null}', '{}')).toBe(ok('{"plan":"gold","note":null}'));
  expect(await replace('{"plan":"silver"}', '{"note":null,"plan":"gold"}'), 'in whatever order').toBe(ok('{"plan":"silver"}'));
  expect(await replace('{"plan":"iron"}', '{"plan":"gold","note":null}')).toBe(changed('{"plan":"silver"}'));
  expect(await replace('{"plan":"iron"}', '{}')).toBe(changed('{"plan":"silver"}'));
  expect(await kept()).toBe('{"status":"OK","metadata":{"plan":"silver"}}');
});

test('numbers that no double holds are kept, and are compared exactly', async () => {
  expect(await replace('{"id":9007199254740993,"share":1.10}', '{}')).toBe(ok('{"id":9007199254740993,"share":1.1}'));
  expect(await replace('{"id":1}', '{"id":9007199254740992,"share":1.1}')).toBe(changed('{"id":9007199254740993,"share":1.1}'));
  expect(await replace('{"id":1}', '{"share":11e-1,"id":9007199254740993.0}')).toBe(ok('{"id":1}'));
});

test('of two at once one is told', async () => {
  const answers = await Promise.all([replace('{"by":1}', '{}'), replace('{"by":2}', '{}')]);
  expect(answers.filter((answer) => answer.startsWith('200 {"status":"OK"'))).toHaveLength(1);
  expect(answers.filter((answer) => answer.includes('CHANGED_MEANWHILE_ERROR'))).toHaveLength(1);
});

test('the trail tells of what was written, and of nothing else', async () => {
  await replace('{"a":1}', '{}');
  await replace('{"a":2}', '{}');
  const pending = await core.services.store.read((reader) => reader.list(pendingEvents, undefined, { prefix: [], limit: 10 }));
  expect(pending.map(({ text }) => parseEvent(text).kind)).toEqual(['user.metadata-changed']);
});
