import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';

/** Has a process that is started with so much more niceness than ours give way as a platform would; its niceness before and after. */
function niceness(more: number, platform: NodeJS.Platform): readonly [before: number, after: number] {
  const module = join(PROJECT_ROOT, 'dist', 'src', 'jobs', 'give-way.js');
  const script = `
    import { getPriority } from 'node:os';
    import { giveWay } from ${JSON.stringify(`file://${module}`)};
    const before = getPriority();
    giveWay(${JSON.stringify(platform)});
    console.log(JSON.stringify([before, getPriority()]));`;
  const args = ['-n', String(more), process.execPath, '--input-type=module', '--eval', script];
  return JSON.parse(spawnSync('nice', args, { encoding: 'utf8' }).stdout);
}

it.each([0, 4, 5, 15, 19])('gives way, and takes nothing back that it has already (niceness %i)', (more) => {
  const [before, after] = niceness(more, 'linux');
  expect(before).toBeGreaterThanOrEqual(more);
  expect(after).toBe(Math.max(before, 5));
});

it('leaves the whole process alone where threads have no priorities of their own', () => {
  const [before, after] = niceness(0, 'darwin');
  expect(after).toBe(before);
});
