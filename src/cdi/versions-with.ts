import { type TraitName, traitsFor } from './traits.ts';
import { CDI_VERSIONS, type CdiVersion, NEWEST_CDI_VERSION } from './versions.ts';

/** Whether the newest version has a trait. */
export function isNewestWith(trait: TraitName): boolean {
  return traitsFor(NEWEST_CDI_VERSION)[trait];
}

/** The versions that have a trait, in words: `CDI 2.21 and later`. */
export function versionsWith(trait: TraitName): string {
  const ranges: CdiVersion[][] = [];
  let range: CdiVersion[] | undefined;
  for (const version of CDI_VERSIONS) {
    if (!traitsFor(version)[trait]) range = undefined;
    else if (range) range.push(version);
    else ranges.push((range = [version]));
  }
  return `CDI ${ranges.map(inWords).join(', and ')}`;
}

function inWords(range: readonly CdiVersion[]): string {
  const [first] = range;
  const last = range.at(-1);
  if (last === NEWEST_CDI_VERSION) return `${first} and later`;
  return first === last ? `${first}` : `${first} to ${last}`;
}
