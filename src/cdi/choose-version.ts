import { type Traits, traitsFor } from './traits.ts';
import { CDI_VERSIONS, compareVersions, isSupportedVersion, isVersionText, NEWEST_CDI_VERSION } from './versions.ts';

/** What the `cdi-version` header of a request comes to. */
export type VersionChoice =
  /** `supported`: the version is one of ours by its exact text, which some endpoints do not require. */
  | { readonly outcome: 'chosen'; readonly traits: Traits; readonly supported: boolean }
  | { readonly outcome: 'malformed' | 'too-new' | 'too-old' };

const chosen = (version: string): VersionChoice => ({
  outcome: 'chosen',
  traits: traitsFor(version),
  supported: isSupportedVersion(version),
});

/** Apps without limits of their own, which is nearly all of them, cost one look-up. */
const WITHOUT_LIMITS: ReadonlyMap<string, VersionChoice> = new Map(CDI_VERSIONS.map((version) => [version, chosen(version)]));

/**
 * Chooses the version a request speaks (contract 01 section 2.9): without a header the newest the app allows.
 * @param minimum lowest version the app allows, null for none; not applied where there is no header
 * @param maximum highest version the app allows, null for the newest
 */
export function chooseVersion(header: string | undefined, minimum: string | null, maximum: string | null): VersionChoice {
  if (minimum === null && maximum === null) {
    const known = WITHOUT_LIMITS.get(header ?? NEWEST_CDI_VERSION);
    if (known) return known;
  }
  const highest = maximum ?? NEWEST_CDI_VERSION;
  if (header === undefined) return chosen(highest);
  if (!isVersionText(header)) return { outcome: 'malformed' };
  if (compareVersions(header, highest) > 0) return { outcome: 'too-new' };
  if (minimum !== null && compareVersions(header, minimum) < 0) return { outcome: 'too-old' };
  return chosen(header);
}
