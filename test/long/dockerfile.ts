import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../running-core.ts';

/** What the last stage of the Dockerfile sets for the program. */
export interface ImageSettings {
  readonly env: Readonly<Record<string, string>>;
  /** `uid:gid` */
  readonly user: string;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly healthcheck: readonly string[];
  /** Names of the base images. */
  readonly bases: readonly string[];
}

const dockerfile = readFileSync(join(PROJECT_ROOT, 'Dockerfile'), 'utf8');

/** What stands behind an instruction, the last one of its name. */
function instruction(name: string): string {
  const found = [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].at(-1)?.[1];
  if (found === undefined) throw new Error(`the Dockerfile has no ${name}`);
  return found;
}

/** Words of an instruction in the form of a JSON array. */
const words = (text: string): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[];

export const IMAGE: ImageSettings = {
  env: Object.fromEntries(
    instruction('ENV')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  ),
  user: instruction('USER'),
  workdir: instruction('WORKDIR'),
  entrypoint: words(instruction('ENTRYPOINT')),
  healthcheck: words(instruction('HEALTHCHECK')),
  bases: [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => String(base)),
};
