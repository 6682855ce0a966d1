// What a bench tells: one line of the table each.

/**
 * @typedef {{ what: string, limitName: string, limit?: string, ours: string, ratio?: string, bar: string, met: boolean, note: string }} Result
 */

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures the limit and ours in turn, because a shared machine changes its mind from second to second.
 * @param {number} rounds
 * @param {() => Promise<number>} limit
 * @param {() => Promise<number>} ours
 * @param {() => Promise<number>} [bare] see `bareNote`
 */
export async function alternate(rounds, limit, ours, bare) {
  const limits = [];
  const own = [];
  const bares = [];
  for (let round = 0; round < rounds; round += 1) {
    limits.push(await limit());
    own.push(await ours());
    if (bare) bares.push(await bare());
  }
  return { limits, ours: own, bares };
}

/**
 * How far a bare server comes that does the prescribed work and nothing else, for the same requests of the same generator: what a limit without
 * HTTP leaves room for on this machine.
 */
export function bareNote({ limits, ours, bares }, what) {
  const ratio = (values, of) => (median(values) / median(of)).toFixed(2);
  return `${what}: ${figure(median(bares))} per s, ${ratio(bares, limits)} of the limit; ours is ${ratio(ours, bares)} of that`;
}

/**
 * Ours against a limit: the ratio of the medians, with the ratios of the single rounds as a note.
 * @param {{ what: string, limitName: string, limits: number[], ours: number[], unit: string, atLeast: number, note?: string }} measured
 * @returns {Result}
 */
export function atLeast({ what, limitName, limits, ours, unit, atLeast: bar, note = '' }) {
  const ratio = median(ours) / median(limits);
  const rounds = ours.map((value, n) => value / limits[n]);
  return {
    what,
    limitName,
    limit: `${figure(median(limits))} ${unit}`,
    ours: `${figure(median(ours))} ${unit}`,
    ratio: ratio.toFixed(2),
    bar: `at least ${bar.toFixed(2)}`,
    met: ratio >= bar,
    note: joined(`rounds ${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)}`, note),
  };
}

/**
 * A cost relative to another one, which must stay below a factor.
 * @param {{ what: string, limitName: string, limits: number[], ours: number[], unit: string, factor: number }} measured costs, lower is better
 * @returns {Result}
 */
export function atMostTimes({ what, limitName, limits, ours, unit, factor }) {
  const ratio = median(ours) / median(limits);
  const rounds = ours.map((value, n) => value / limits[n]);
  return {
    what,
    limitName,
    limit: `${figure(median(limits))} ${unit}`,
    ours: `${figure(median(ours))} ${unit}`,
    ratio: ratio.toFixed(2),
    bar: `at most ${factor.toFixed(2)}`,
    met: ratio <= factor,
    note: `rounds ${Math.min(...rounds).toFixed(2)} to ${Math.max(...rounds).toFixed(2)}`,
  };
}

/**
 * A cost that must be neither much more nor much less than another one, by the ratio of the medians.
 * @param {{ what: string, limitName: string, limits: number[], ours: number[], unit: string, least: number, most: number }} measured
 * @returns {Result}
 */
export function between({ what, limitName, limits, ours, unit, least, most }) {
  const ratio = median(ours) / median(limits);
  return {
    what,
    limitName,
    limit: `${figure(median(limits))} ${unit}`,
    ours: `${figure(median(ours))} ${unit}`,
    ratio: ratio.toFixed(3),
    bar: `${least.toFixed(2)} to ${most.toFixed(2)}`,
    met: ratio >= least && ratio <= most,
    note: `${ours.length} of each, in turn`,
  };
}

/** Student's t for 95 % on both sides, by degrees of freedom from 1 on. */
const T95 = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201];

/** The 95 % interval of the mean ratio of paired rounds (at least two), of logarithms, so that halves and doubles weigh alike. */
export function interval(ratios) {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
  const spread = Math.sqrt(logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (logs.length - 1));
  const margin = (spread / Math.sqrt(logs.length)) * (T95[logs.length - 2] ?? 2.1);
  return [Math.exp(mean - margin), Math.exp(mean + margin)];
}

/**
 * Ours against a limit that it should not fall below: met unless the whole interval lies below the bar.
 * @param {{ what: string, limitName: string, limits: number[], ours: number[], unit: string, least: number, note?: string }} measured
 * @returns {Result}
 */
export function notBelow({ what, limitName, limits, ours, unit, least, note = '' }) {
  const [low, high] = interval(ours.map((value, n) => value / limits[n]));
  return {
    what,
    limitName,
    limit: `${figure(median(limits))} ${unit}`,
    ours: `${figure(median(ours))} ${unit}`,
    ratio: (median(ours) / median(limits)).toFixed(2),
    bar: `not wholly below ${least.toFixed(2)}`,
    met: high >= least,
    note: joined(`${ours.length} pairs of rounds, 95 % interval ${low.toFixed(2)} to ${high.toFixed(2)}`, note),
  };
}

/**
 * A value that has a bar of its own and no limit beside it.
 * @param {{ what: string, values: number[], unit: string, most: number, holds?: boolean, note?: string }} measured `holds`: what else must be true
 * @returns {Result}
 */
export function atMost({ what, values, unit, most, holds = true, note = '' }) {
  const value = median(values);
  return {
    what,
    limitName: '-',
    ours: `${figure(value)} ${unit}`,
    bar: `at most ${most} ${unit}`,
    met: value <= most && holds,
    note: joined(values.length > 1 ? `${values.length} runs, ${figure(Math.min(...values))} to ${figure(Math.max(...values))}` : '', note),
  };
}

/** Three significant digits, thousands separated. */
function figure(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : Number(value.toPrecision(3)).toString();
}

function joined(...notes) {
  return notes.filter((note) => note !== '').join('; ');
}
