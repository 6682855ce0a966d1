import path from 'node:path';
import { Worker } from 'node:worker_threads';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvalidJsonError, type JsonText } from '../../src/json/free-form.ts';
import { readJsonText } from '../json-text.ts';
import { isNullMember, membersOf, objectOf } from '../../src/json/members.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_261_121 });

it('finds each member of an object as it is written, and puts the object together again', () => {
  const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('__proto__', '\\', '"', '}', '\\"', ''));
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue({ maxDepth: 4 })), (object) => {
      const text = readJsonText(JSON.stringify(object));
      const members = membersOf(text);
      expect(objectOf(members)).toBe(text);
      const expected = Object.entries(JSON.parse(text) as object).map(([key, value]) => {
        const quoted = JSON.stringify(key);
        return [quoted, `${quoted}:${JSON.stringify(value)}`, value === null];
      });
      expect([...members].map(([key, member]) => [key, member, isNullMember(key, member)])).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

it.each(['{}', '{"a":12345678901234567890}', '{"a":"}\\\\","b":[{"]":"{"}],"c":-1.5}'])('%s stays what it is', (source) => {
  expect(objectOf(membersOf(readJsonText(source)))).toBe(source);
});

const BROKEN = [
  '1e400',
  '12345678901234567890',
  '-0.1',
  '',
  '{',
  '}',
  '[]',
  '"a"',
  'null',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  '{1e400}',
];
const UNCLOSED = ['{"a}', '{"a":"}', '{"a":[}', '{"a":{}', '{"a":1]}', '{"a":1}}', '{"a":"\\"}', '{"a" :1}'];

it.each([...BROKEN, ...UNCLOSED])('refuses %s', (text) => {
  expect(() => membersOf(text as JsonText)).toThrow(InvalidJsonError);
});

/** On a thread of its own, so that a scan without an end is a test that fails. */
const SCAN_ALL = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.scanner).then(({ membersOf }) => {
    const faults = workerData.texts.flatMap((text) => {
      try { membersOf(text); return []; } catch (error) { return error.name === 'InvalidJsonError' ? [] : [text]; }
    });
    parentPort.postMessage(faults);
  });
`;

it('comes to an end with whatever text', async () => {
  const pieces = fc.constantFrom(...'{}[],:"\\ -1e', '1e400', '"a":', '"a"', 'null', '\\"', '\u{1f600}');
  const texts = fc.sample(fc.string({ unit: pieces, maxLength: 12 }), { numRuns: 20_000, seed: 20_261_121 });
  const scanner = path.join(import.meta.dirname, '..', '..', 'dist', 'src', 'json', 'members.js');
  const worker = new Worker(SCAN_ALL, { eval: true, workerData: { scanner, texts: [...BROKEN, ...texts] } });
  try {
    const ended = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    const late = new Promise((resolve) => setTimeout(resolve, 15_000, 'it never ends').unref());
    expect(await Promise.race([ended, late])).toEqual([]);
  } finally {
    await worker.terminate();
  }
});
