import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { Journal, type JournalFiles } from '../../src/transfer/journal.ts';
import type { Batch, Reject } from '../../src/transfer/outcome.ts';

const root = mkdtempSync(join(tmpdir(), 'watchword-journal-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let number = 0;
let files: JournalFiles = { state: '', rejects: '' };
beforeEach(() => {
  number += 1;
  files = { state: join(root, `${number}.state`), rejects: join(root, `${number}.rejects`) };
});

const IDENTITY = { fingerprint: 'print', target: 'here', size: { users: 10, bytes: 100 } };
const open = (): Journal => new Journal(files, 'line', IDENTITY);
const userAt = (at: number): Batch['users'][number] => ({ at, text: `{"n":\n${at}}`, user: { n: at } });
const reject = (at: number): Reject => ({ at, errors: ['no'], content: { user: `{"n":\r\n${at}}` } });
const batch = (next: number, ...places: readonly number[]): Batch => ({
  users: places.map(userAt),
  others: [],
  next: { offset: next * 10, passed: next },
});
const linesOfRejects = (): string[] => readFileSync(files.rejects, 'utf8').split('\n').slice(0, -1);

test('what was written beyond the last state is cut off', () => {
  const first = open();
  first.keep(batch(2, 1, 2), { status: 'accepted', rejects: [reject(2)], queued: [] });
  first.close();
  // A killed process got as far as the reject of its next batch, and half of another.
  appendFileSync(files.rejects, '{"line":3,"errors":["no"]}\n{"li');
  const second = open();
  expect(second.state).toMatchObject({ place: { offset: 20, passed: 2 }, accepted: 1, rejected: 1 });
  second.keep(batch(3, 3), { status: 'accepted', rejects: [reject(3)], queued: [] });
  second.close();
  expect(linesOfRejects()).toEqual(['{"line":2,"errors":["no"],"user":{"n": 2}}', '{"line":3,"errors":["no"],"user":{"n": 3}}']);
});

test('users that were refused are told once, before the rest of their batch', () => {
  const journal = open();
  journal.exclude([reject(1)]);
  expect(open().state.excluded).toEqual([1]);
  const others = [{ at: 3, error: 'It is not a JSON object.', text: '"a\nb"' }];
  journal.keep({ ...batch(3, 2), others }, { status: 'accepted', rejects: [], queued: [] });
  journal.close();
  expect(journal.state).toMatchObject({ accepted: 1, rejected: 2, excluded: [] });
  expect(linesOfRejects()[1]).toBe(String.raw`{"line":3,"errors":["It is not a JSON object."],"text":"\"a\nb\""}`);
});

test('an import that lost its rejects does not go on', () => {
  const journal = open();
  journal.keep(batch(1, 1), { status: 'accepted', rejects: [reject(1)], queued: [] });
  journal.close();
  rmSync(files.rejects);
  expect(open).toThrow(`${files.rejects} does not hold what this import wrote into it before.`);
});

test('a new import leaves nothing of an earlier one', () => {
  const journal = open();
  journal.keep(batch(1, 1), { status: 'accepted', rejects: [reject(1)], queued: [] });
  journal.finish();
  journal.close();
  expect(open().state.isDone).toBe(true);
  rmSync(files.state);
  open().close();
  expect(existsSync(files.rejects)).toBe(false);
});

test('between two batches the next one was not begun; within one it may have been', () => {
  const journal = open();
  expect(journal.state.isOrderly).toBe(true);
  journal.begin();
  expect(open().state.isOrderly).toBe(false);
  journal.pause();
  expect(open().state.isOrderly).toBe(true);
});

test('ids are kept for their owner only, until the end', () => {
  const journal = open();
  const id = '0a1b2c3d-0000-4000-8000-00000000000f';
  journal.keep(batch(1, 1), { status: 'accepted', rejects: [], queued: [{ at: 1, id }] });
  expect(readFileSync(journal.idsFile).toString('hex')).toBe(`${id.replaceAll('-', '')}0100000000000000`);
  expect(statSync(journal.idsFile).mode & 0o777).toBe(0o600);
  journal.finish();
  expect(existsSync(journal.idsFile)).toBe(false);
  journal.close();
});
