/** The CDI versions this core speaks, in ascending order (contract 01, section 1.2). Membership is by exact text. */
export const CDI_VERSIONS = [
  '2.7', '2.8', '2.9', '2.10', '2.11', '2.12', '2.13', '2.14', '2.15', '2.16', '2.17', '2.18', '2.19', '2.20', '2.21',
  '3.0', '3.1', '4.0', '5.0', '5.1', '5.2', '5.3', '5.4', '5.5', '5.6',
] as const; // biome-ignore format: one line per major version reads better

export type CdiVersion = (typeof CDI_VERSIONS)[number];

/** The version a request without a `cdi-version` header speaks, unless its app sets a lower maximum. */
export const NEWEST_CDI_VERSION: CdiVersion = '5.6';

const GRAMMAR = /^[0-9]+(\.[0-9]+)*$/;
const SUPPORTED: ReadonlySet<string> = new Set(CDI_VERSIONS);

/** True for digits separated by dots, whatever their number. */
export function isVersionText(text: string): boolean {
  return GRAMMAR.test(text);
}

export function isSupportedVersion(text: string): text is CdiVersion {
  return SUPPORTED.has(text);
}

/** True when `a` is a later version than `b`. */
export function isLaterVersion(a: string, b: string): boolean {
  return compareVersions(a, b) > 0;
}

/** Compares component-wise as integers; missing components count as 0. Negative when `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
