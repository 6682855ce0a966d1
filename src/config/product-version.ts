import { readFileSync } from 'node:fs';

/** The version of this program, as its package tells. */
export function productVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
