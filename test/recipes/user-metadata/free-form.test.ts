import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { withCore } from '../../with-core.ts';

/** Metadata is the caller's own JSON: whatever it is, it comes back with the same values, over the wire and from the disk. */
const PATH = '/recipe/user/metadata';

let client: CdiClient;
withCore({}, (core) => {
  client = cdiClient(core.url);
});

test.each([
  '{"big":9007199254740993}',
  '{"most":9223372036854775807,"least":-9223372036854775808}',
  '{"decimal":0.1000000000000000055511151231257827,"e":1e400}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":2}}',
  '{"line":"\\u2028\\u2029","nul":"\\u0000"}',
  '{"isLosslessNumber":true,"value":"1"}',
  `{"deep":${'['.repeat(61)}${']'.repeat(61)}}`,
])('%s', async (metadata) => {
  const userId = `literal-${metadata.slice(0, 20)}`;
  const written = await client.put(PATH, `{"userId":${JSON.stringify(userId)},"metadataUpdate":${metadata}}`);
  const answer = (text: string): string => `{"status":"OK","metadata":${text}}`;
  expect(written.text.trim()).toBe(answer(metadata));
  expect((await client.get(PATH, { userId })).text.trim()).toBe(answer(metadata));
  const both = await client.post(`${PATH}/bulk`, { userIds: [userId] });
  expect(both.text.trim()).toBe(`{"status":"OK","users":[{"userId":${JSON.stringify(userId)},"metadata":${metadata}}]}`);
  // A merge reads and writes what was kept.
  expect((await client.put(PATH, { userId, metadataUpdate: { more: null } })).text.trim()).toBe(answer(metadata));
});

test.each(['1e400', '123456789012345678901234567890', '-0', '1.0000000000000000001'])(
  '%s is no metadata, and holds nobody up',
  async (number) => {
    const userId = `number-${number}`;
    const refused = { status: 400, text: "Field name 'metadataUpdate' is invalid in JSON input\n" };
    for (let times = 0; times < 2; times += 1) {
      expect(await client.put(PATH, `{"userId":"${userId}","metadataUpdate":${number}}`)).toMatchObject(refused);
      expect((await client.put(PATH, { userId, metadataUpdate: { [`at${times}`]: 1 } })).status).toBe(200);
    }
    expect((await client.get(PATH, { userId })).body).toEqual({ status: 'OK', metadata: { at0: 1, at1: 1 } });
  },
);

test('values keep, spellings need not', async () => {
  const reply = await client.put(PATH, '{"userId":"spelling","metadataUpdate":{ "c" : [ null, 1.0, 1e3, -0.50 ] }}');
  expect(reply.body).toEqual({ status: 'OK', metadata: { c: [null, 1, 1000, -0.5] } });
});

test('what nests too deep or is too large is refused', async () => {
  const deep = `{"userId":"u","metadataUpdate":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`;
  expect(await client.put(PATH, deep)).toMatchObject({ status: 400, text: expect.stringContaining('Invalid Json Input') });
  const large = JSON.stringify({ userId: 'u', metadataUpdate: { a: 'x'.repeat(9_000_000) } });
  const outcome = await client.put(PATH, large).then(
    ({ status }) => status,
    // The core may close the connection while the rest is still being sent.
    () => 413,
  );
  expect(outcome).toBe(413);
  expect((await client.get(PATH, { userId: 'u' })).body).toEqual({ status: 'OK', metadata: {} });
});

test('any metadata comes back as it was sent', async () => {
  const objects = fc
    .dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }), { maxKeys: 6 })
    .map((object): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(object)));
  let number = 0;
  await fc.assert(
    fc.asyncProperty(objects, async (object) => {
      const userId = `any-${(number += 1)}`;
      const kept = Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
      expect((await client.put(PATH, { userId, metadataUpdate: object })).body).toEqual({ status: 'OK', metadata: kept });
      expect((await client.get(PATH, { userId })).body).toEqual({ status: 'OK', metadata: kept });
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
});

test('fifty updates at once of different keys, on two threads, all survive; so do removals of others', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `key${at}`);
  await client.put(PATH, { userId: 'busy', metadataUpdate: Object.fromEntries(names.map((name) => [`old-${name}`, 1])) });
  const replies = await Promise.all(
    names.map((name) => client.put(PATH, { userId: 'busy', metadataUpdate: { [name]: name, [`old-${name}`]: null } })),
  );
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect((await client.get(PATH, { userId: 'busy' })).body).toEqual({
    status: 'OK',
    metadata: Object.fromEntries(names.map((name) => [name, name])),
  });
});
