const WHOLE = new Intl.NumberFormat();
const FEW_DIGITS = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export const count = (value: number): string => WHOLE.format(value);

/** With three digits that count: 0.0512, 12.3, 4,120. */
export const decimal = (value: number): string => (value >= 1000 ? WHOLE : FEW_DIGITS).format(value);

/** @param value in bytes */
export function bytes(value: number): string {
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${rest >= 100 || unit === 0 ? Math.round(rest) : rest.toFixed(1)} ${UNITS[unit]}`;
}

/** @param ms a span of time */
export function span(ms: number): string {
  const seconds = ms / 1000;
  if (ms < 10) return `${Number(ms.toPrecision(2))} ms`;
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.round((seconds % 86_400) / 3600)} h`;
}
