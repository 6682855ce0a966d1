import { CDI_VERSIONS, type CdiVersion, compareVersions } from './versions.ts';

/** The versions an app speaks, ascending, up to its maximum; a minimum removes none (contract 01 section 3.3). */
export function versionsUpTo(maximum: string | null): readonly CdiVersion[] {
  return maximum === null ? CDI_VERSIONS : CDI_VERSIONS.filter((version) => compareVersions(version, maximum) <= 0);
}
