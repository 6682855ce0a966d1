const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,30}))?(Z|[+-]\d\d:\d\d)$/;
const MINUTE_MS = 60_000;

/** An xs:dateTime with time zone, years 1970 to 9999, as ms since the epoch; NaN for all else, such as 30 February. */
export function parseInstant(text: string): number {
  const match = DATE_TIME.exec(text);
  if (!match) return Number.NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = '', zone = 'Z'] = match.slice(7);
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, Number(fraction.padEnd(3, '0').slice(0, 3))));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return Number.NaN;
  return date.getTime() - offsetMs(zone);
}

/** RFC 3339 and XML Schema: at most 14 hours either way. */
function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  const total = hours * 60 + minutes;
  return minutes > 59 || total > 14 * 60 ? Number.NaN : (zone.startsWith('-') ? -total : total) * MINUTE_MS;
}
