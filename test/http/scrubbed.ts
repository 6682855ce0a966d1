import { createHash } from 'node:crypto';

/** 2026-01-01T00:00:00Z; what happened at the recording happened then. */
const MOMENT = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
/** To which longer times are rounded: some vary by a tenth. */
const HOUR_MS = 3_600_000;
const FIRST_MOMENT = Date.UTC(2020, 0, 1);
const LAST_MOMENT = Date.UTC(2200, 0, 1);
const MOST_CHARACTERS = 300;
const MOST_ITEMS = 2;
/** Longer ones, such as documents in base64, are shown as long as this. */
const MOST_DRAWN = 128;
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl';

/** What may have been drawn or read from a clock, in one pass: what is put in its place is not looked at again. */
const DRAWN = new RegExp(
  [
    String.raw`(?<login>SAMLRequest=[^&]+)`,
    String.raw`(?<prefix>[a-z]-)?(?<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`,
    String.raw`(?<token>eyJ[\w-]+\.[\w-]+\.[\w-]+)`,
    String.raw`\b(?<moment>1[6-9]\d{11})\b`,
    String.raw`(?<day>20\d\d-\d\d-\d\dT[\d:.]+Z)`,
    String.raw`(?<decimal>0\.\d{6,})`,
    String.raw`(?<run>[\w+/=-]{20,})`,
  ].join('|'),
  'g',
);

/** What is drawn by chance, and too short to be seen as such. */
const BY_NAME: Readonly<Record<string, string>> = {
  totp: '123456',
  userInputCode: 'BXkQ7m',
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  secretKey: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
};

/** Puts values that are the same in every recording in the place of those that are drawn or read from a clock; lists are cut short. */
export class Scrubber {
  readonly #now: number;
  readonly #seen = new Map<string, string>();

  /** @param now when the recording was made, ms */
  constructor(now: number) {
    this.#now = now;
  }

  scrub(value: unknown, name = ''): unknown {
    if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => this.scrub(item, name));
    if (typeof value === 'number') return this.#number(value);
    if (typeof value === 'string') return BY_NAME[name] ?? this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.scrub(member, key)]));
  }

  #number(value: number): number {
    if (value < FIRST_MOMENT || value > LAST_MOMENT) return value;
    const since = value - this.#now;
    const unit = Math.abs(since) > HOUR_MS / 2 ? HOUR_MS : MINUTE_MS;
    return MOMENT + Math.round(since / unit) * unit;
  }

  #text(value: string): string {
    const text = value.replace(DRAWN, (found, ...groups) => {
      const { login, prefix = '', uuid, token, moment, day, decimal, run } = (groups.at(-1) ?? {}) as Partial<Record<string, string>>;
      if (login !== undefined) return 'SAMLRequest=fZHBTsMwEER';
      if (uuid !== undefined) return prefix + this.#uuid(uuid);
      if (token !== undefined) return TOKEN;
      if (moment !== undefined) return String(this.#number(Number(moment)));
      if (day !== undefined) return new Date(MOMENT).toISOString();
      if (decimal !== undefined) return '1';
      return run === undefined ? found : this.#drawn(run);
    });
    return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}...` : text;
  }

  /** The same one for the same one. */
  #uuid(uuid: string): string {
    const known = this.#seen.get(uuid) ?? `00000000-0000-4000-8000-${String(this.#seen.size + 1).padStart(12, '0')}`;
    this.#seen.set(uuid, known);
    return known;
  }

  /** What has letters and digits in a long row was drawn, or is made of what was. */
  #drawn(run: string): string {
    if (!/\d/.test(run) || !/[a-z]/i.test(run)) return run;
    const known = this.#seen.get(run) ?? sample(this.#seen.size + 1, run);
    this.#seen.set(run, known);
    return known;
  }
}

/** Text of as many characters as a drawn one, of letters and digits that may stand in both. */
function sample(number: number, drawn: string): string {
  const digest = createHash('sha512').update(String(number));
  if (/^[0-9a-f]+$/.test(drawn)) return digest.digest('hex').slice(0, drawn.length);
  return digest.digest('base64url').repeat(2).replace(/[-_]/g, '').slice(0, Math.min(drawn.length, MOST_DRAWN));
}
