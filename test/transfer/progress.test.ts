import { describe, expect, test } from 'vitest';
import { duration, Progress, type Screen } from '../../src/transfer/progress.ts';

function fakeScreen(
  isTerminal: boolean,
  width = 200,
): { readonly screen: Screen; readonly written: string[]; readonly pass: (ms: number) => void } {
  const written: string[] = [];
  let time = 1000;
  const screen: Screen = { isTerminal, width: () => width, write: (text) => written.push(text), now: () => time };
  const pass = (ms: number): void => {
    time += ms;
  };
  return { screen, written, pass };
}

describe('progress', () => {
  test('a terminal sees a bar that is drawn over itself', () => {
    const { screen, written, pass } = fakeScreen(true);
    const progress = new Progress(screen, 'done');
    progress.show({ users: 0, failures: 0, part: 0 });
    pass(10_000);
    progress.show({ users: 1234, failures: 2, part: 0.25 });
    expect(written.at(-1)).toBe('\r\u001b[2K[######------------------] 25 %, 1,234 users done, 123/s, 30 s left, 2 failed');
  });

  test('a narrow terminal sees one line still', () => {
    const { screen, written } = fakeScreen(true, 40);
    new Progress(screen, 'done').show({ users: 1, failures: 0, part: 0.5 });
    expect(written[0]?.replace('\r\u001b[2K', '')).toHaveLength(39);
  });

  test('anything else sees a line every few seconds, the first after as long', () => {
    const { screen, written, pass } = fakeScreen(false);
    const progress = new Progress(screen, 'done');
    for (let second = 0; second <= 12; second += 1) {
      progress.show({ users: second, failures: 0, part: undefined, note: 'a note' });
      pass(1000);
    }
    expect(written).toEqual(['5 users done, 1/s, 0 failed, a note\n', '10 users done, 1/s, 0 failed, a note\n']);
  });

  test('the rate is that of late', () => {
    const { screen, written, pass } = fakeScreen(true);
    const progress = new Progress(screen, 'done');
    for (let second = 0; second < 100; second += 1) {
      progress.show({ users: second < 50 ? second * 1000 : 50_000 + second, failures: 0, part: undefined });
      pass(1000);
    }
    expect(written.at(-1)).toContain(' 1/s');
  });

  test.each([
    [0, '0 s'],
    [59.6, '1 min 0 s'],
    [3599, '59 min 59 s'],
    [7300, '2 h 1 min'],
  ])('%d s are %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
