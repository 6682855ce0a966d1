import { loadConfig, type LoadedConfig } from '../../src/config/config.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import type { Machine } from '../../src/doctor/machine.ts';

const GIB = 2 ** 30;

/** A machine on which everything is as it should be, but for what a test says. */
export function machineLike(said: Partial<Machine> = {}): Machine {
  return {
    cores: 2,
    memoryBytes: 4 * GIB,
    memoryLimitBytes: undefined,
    openFiles: 65_536,
    glibc: '2.41',
    poolSize: '16',
    user: 1000,
    now: Date.UTC(2026, 10, 22),
    disk: () => ({ kind: 'ext4', freeBytes: 50 * GIB }),
    access: () => ({ mode: 0o700, owner: 1000 }),
    list: () => [],
    engineFault: async () => undefined,
    ...said,
  };
}

/** A configuration by its flags. */
export const configOf = (...flags: readonly string[]): LoadedConfig => configWith({}, ...flags);

/** The same with secrets, which no flag takes. */
export const configWith = (env: Readonly<Record<string, string>>, ...flags: readonly string[]): LoadedConfig =>
  loadConfig({ argv: ['--http-threads', '2', ...flags], env, cwd: '/' });

/** The findings of one check as lines, without remedies. */
export const linesOf = (findings: readonly Pick<Finding, 'severity' | 'text'>[]): readonly string[] =>
  findings.map(({ severity, text }) => `${severity}: ${text}`);
