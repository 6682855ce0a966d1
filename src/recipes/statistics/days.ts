export const DAY_MS = 86_400_000;

/** The day (UTC) of a time, in days since the epoch. @param at ms since the epoch */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** The day with this name, `YYYY-MM-DD`; `undefined` where no calendar has it. */
export function dayNamed(date: string): number | undefined {
  const at = DATE.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) || nameOfDay(dayOf(at)) !== date ? undefined : dayOf(at);
}

/** A day as `YYYY-MM-DD`. */
export const nameOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
