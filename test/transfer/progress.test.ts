import { describe, expect, test } from 'vitest';
import { countEntries, duration, Progress, type Screen } from '../../src/transfer/progress.ts';

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
    progress.show({ done: 0, failures: 0, part: 0 });
    pass(10_000);
    progress.show({ done: 1234, failures: 2, part: 0.25 });
    expect(written.at(-1)).toBe('\r\u001b[2K[######------------------] 25 %, 1,234 users done, 123/s, 30 s left, 2 failed');
  });

  test('a narrow terminal sees one line still', () => {
    const { screen, written } = fakeScreen(true, 40);
    new Progress(screen, 'done').show({ done: 1, failures: 0, part: 0.5 });
    expect(written[0]?.replace('\r\u001b[2K', '')).toHaveLength(39);
  });

  test('anything else sees a line every few seconds, the first after as long', () => {
    const { screen, written, pass } = fakeScreen(false);
    const progress = new Progress(screen, 'done');
    for (let second = 0; second <= 12; second += 1) {
      progress.show({ done: second, failures: 0, part: undefined, note: 'a note' });
      pass(1000);
    }
    expect(written).toEqual(['5 users done, 1/s, 0 failed, a note\n', '10 users done, 1/s, 0 failed, a note\n']);
  });

  test('of something else than users, none of which can fail', () => {
    const { screen, written } = fakeScreen(true);
    new Progress(screen, 'copied', countEntries).show({ done: 1000, part: 0.5 });
    expect(written[0]).toContain('50 %, 1,000 entries copied');
    expect(written[0]).not.toContain('failed');
  });

  test('the rate is that of late', () => {
    const { screen, written, pass } = fakeScreen(true);
    const progress = new Progress(screen, 'done');
    for (let second = 0; second < 100; second += 1) {
      progress.show({ done: second < 50 ? second * 1000 : 50_000 + second, failures: 0, part: undefined });
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
