import { expect, test } from 'vitest';
import { snapshot } from '../../src/observe/snapshot.ts';

/** A look that a test counts, ends and times. */
function scene() {
  const clock = { now: 0 };
  const looks: { readonly end: (value: string) => void; readonly fail: () => void }[] = [];
  const look = (): Promise<string> => new Promise((end, reject) => looks.push({ end, fail: () => reject(new Error('no')) }));
  return { clock, looks, ask: snapshot(1000, look, () => clock.now) };
}

test('all who ask within its time get one look, from its beginning on', async () => {
  const { clock, looks, ask } = scene();
  const first = [ask(), ask()];
  clock.now = 999;
  first.push(ask());
  looks[0]?.end('one');
  expect(await Promise.all(first)).toEqual(['one', 'one', 'one']);
  clock.now = 1000;
  const second = ask();
  looks[1]?.end('two');
  expect(await second).toBe('two');
  expect(looks).toHaveLength(2);
});

test('what fails is looked for again', async () => {
  const { looks, ask } = scene();
  const failing = ask();
  looks[0]?.fail();
  await expect(failing).rejects.toThrow('no');
  const next = ask();
  looks[1]?.end('there');
  expect(await next).toBe('there');
});

test('a look that fails late takes nothing from the next', async () => {
  const { clock, looks, ask } = scene();
  const slow = ask();
  clock.now = 1500;
  const next = ask();
  looks[0]?.fail();
  await expect(slow).rejects.toThrow('no');
  void ask();
  expect(looks).toHaveLength(2);
  looks[1]?.end('there');
  expect(await next).toBe('there');
});
