import { describe, expect, it } from 'vitest';
import { RequestWindows, type SecondCount, SecondCounter } from '../../src/observe/request-stats.ts';

const APP = 7;
/** A whole minute since the epoch. */
const MINUTE = 29_000_000;
const NO_DATA = Array.from({ length: 1440 }, () => -1);
const second = (minute: number, position: number): number => minute * 60 + position;
const at = (minute: number): number => minute * 60_000;

describe('the day of an app', () => {
  it('has no data before the first request, and never shows the running minute', () => {
    const windows = new RequestWindows();
    windows.add({ second: second(MINUTE, 5), counts: [[APP, 3]] });
    const stats = windows.stats(APP, at(MINUTE) + 10_000);
    expect(stats.atMinute).toBe(MINUTE);
    expect(stats.averageRequestsPerSecond).toEqual(NO_DATA);
    expect(stats.peakRequestsPerSecond).toEqual(NO_DATA);
  });

  it('shows the previous minute last, with its average and its busiest second', () => {
    const windows = new RequestWindows();
    windows.add({ second: second(MINUTE, 0), counts: [[APP, 10]] });
    windows.add({ second: second(MINUTE, 59), counts: [[APP, 20]] });
    const stats = windows.stats(APP, at(MINUTE + 1));
    expect(stats.averageRequestsPerSecond.slice(-2)).toEqual([-1, 0.5]);
    expect(stats.peakRequestsPerSecond.slice(-2)).toEqual([-1, 20]);
  });

  it('adds up what several threads counted in the same second', () => {
    const windows = new RequestWindows();
    for (const requests of [4, 5, 6]) windows.add({ second: second(MINUTE, 30), counts: [[APP, requests]] });
    expect(windows.stats(APP, at(MINUTE + 1)).peakRequestsPerSecond.at(-1)).toBe(15);
  });

  it('shows 0 for quiet minutes after the first one', () => {
    const windows = new RequestWindows();
    windows.add({ second: second(MINUTE, 0), counts: [[APP, 60]] });
    expect(windows.stats(APP, at(MINUTE + 4)).averageRequestsPerSecond.slice(-5)).toEqual([-1, 1, 0, 0, 0]);
  });

  it('starts with the first question when there was no request', () => {
    const windows = new RequestWindows();
    windows.stats(APP, at(MINUTE));
    expect(windows.stats(APP, at(MINUTE + 2)).averageRequestsPerSecond.slice(-3)).toEqual([-1, 0, 0]);
  });

  it('forgets what is older than a day', () => {
    const windows = new RequestWindows();
    for (let minute = 0; minute < 1500; minute += 1) windows.add({ second: second(MINUTE + minute, 0), counts: [[APP, minute + 1]] });
    const { peakRequestsPerSecond } = windows.stats(APP, at(MINUTE + 1500));
    expect(peakRequestsPerSecond).toHaveLength(1440);
    expect(peakRequestsPerSecond[0]).toBe(61);
    expect(peakRequestsPerSecond.at(-1)).toBe(1500);
  });

  it('takes counts that arrive after the minute is over', () => {
    const windows = new RequestWindows();
    windows.add({ second: second(MINUTE + 1, 0), counts: [[APP, 1]] });
    windows.add({ second: second(MINUTE, 59), counts: [[APP, 2]] });
    windows.add({ second: second(MINUTE + 2, 0), counts: [[APP, 3]] });
    expect(windows.stats(APP, at(MINUTE + 3)).peakRequestsPerSecond.slice(-3)).toEqual([2, 1, 3]);
  });

  it('knows what it counted when the clock was set back, and forgets what was ahead', () => {
    const windows = new RequestWindows();
    for (let minute = 0; minute < 3; minute += 1) windows.add({ second: second(MINUTE + 5000 + minute, 0), counts: [[APP, 9]] });
    const addMinute = (minute: number): void => windows.add({ second: second(MINUTE + minute, 0), counts: [[APP, 60]] });
    addMinute(0);
    expect(windows.stats(APP, at(MINUTE + 2)).averageRequestsPerSecond.slice(-3)).toEqual([-1, 1, 0]);
    for (let minute = 1; minute < 3000; minute += 1) addMinute(minute);
    const { averageRequestsPerSecond } = windows.stats(APP, at(MINUTE + 3000));
    expect(averageRequestsPerSecond).toEqual(Array.from({ length: 1440 }, () => 1));
    // Not when that time comes either.
    expect(windows.stats(APP, at(MINUTE + 5003)).peakRequestsPerSecond.slice(-3)).toEqual([0, 0, 0]);
  });

  it('keeps apps apart', () => {
    const windows = new RequestWindows();
    windows.add({
      second: second(MINUTE, 0),
      counts: [
        [APP, 1],
        [APP + 1, 2],
      ],
    });
    expect(windows.stats(APP, at(MINUTE + 1)).peakRequestsPerSecond.at(-1)).toBe(1);
    expect(windows.stats(APP + 1, at(MINUTE + 1)).peakRequestsPerSecond.at(-1)).toBe(2);
  });
});

describe('the counter of a thread', () => {
  it('hands over each second once it is over, and the rest when asked', () => {
    const sent: SecondCount[] = [];
    const counter = new SecondCounter((count) => sent.push(count));
    counter.add(APP, 5_000);
    counter.add(APP, 5_999);
    counter.add(APP + 1, 5_999);
    expect(sent).toEqual([]);
    counter.add(APP, 6_000);
    expect(sent).toEqual([
      {
        second: 5,
        counts: [
          [APP, 2],
          [APP + 1, 1],
        ],
      },
    ]);
    counter.flush();
    expect(sent[1]).toEqual({ second: 6, counts: [[APP, 1]] });
    counter.flush();
    expect(sent).toHaveLength(2);
  });
});
