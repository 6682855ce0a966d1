import { type JsonText, RawJson } from './free-form.ts';

/** A number that is written with a fraction even where it has none (`168.0`), so that readers take it for a decimal. */
export function decimal(value: number): RawJson {
  const text = String(value);
  return new RawJson((/^-?[0-9]+$/.test(text) ? `${text}.0` : text) as JsonText);
}
