import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../running-core.ts';

/* What one Dockerfile needs to make images for linux/amd64 and linux/arm64. No engine runs here: what it would install is read. */

interface Package {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly integrity?: string;
}

const text = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const { packages } = JSON.parse(text('package-lock.json')) as { readonly packages: Readonly<Record<string, Package>> };

/** The packages of the lockfile that are installed on Linux with this processor and glibc only. */
const ofProcessor = (cpu: string): readonly string[] =>
  Object.entries(packages).flatMap(([name, one]) =>
    one.os?.includes('linux') && one.cpu?.includes(cpu) && one.libc?.includes('musl') !== true && !name.endsWith('-musl') ? [name] : [],
  );

describe('the lockfile has for arm64', () => {
  test('every package that it has for x64, with its checksum', () => {
    const forIntel = ofProcessor('x64');
    expect(forIntel.length).toBeGreaterThan(5);
    const twins = forIntel.map((name) => name.replace(/x64/, 'arm64'));
    expect(ofProcessor('arm64')).toEqual(expect.arrayContaining(twins));
    for (const name of twins) expect(packages[name]?.integrity).toMatch(/^sha512-/);
  });

  test.each(['@lmdb/lmdb', '@msgpackr-extract/msgpackr-extract', '@node-rs/argon2', '@napi-rs/nice'])(
    '%s, which production loads',
    (name) => {
      const found = ofProcessor('arm64').filter((one) => one.startsWith(`node_modules/${name}-linux-arm64`));
      expect(found).toHaveLength(1);
    },
  );
});

describe('packages that bring their binaries along have them for arm64', () => {
  test('uWebSockets.js, for each Node, with a recorded checksum', () => {
    const files = readdirSync(join(PROJECT_ROOT, 'node_modules', 'uWebSockets.js'));
    const recorded = text('scripts/check-native.mjs');
    for (const abi of [115, 127, 137]) {
      const name = `uws_linux_arm64_${abi}.node`;
      expect(files).toContain(name);
      expect(recorded).toContain(`'${name}'`);
    }
  });

  test('fs-native-extensions', () => {
    expect(readdirSync(join(PROJECT_ROOT, 'node_modules', 'fs-native-extensions', 'prebuilds'))).toContain('linux-arm64');
  });
});

test.each(['Dockerfile', 'scripts/make-image.mjs'])('%s names no processor', (path) => {
  expect(text(path)).not.toMatch(/x86|x64|amd64|aarch64|arm64|--platform/i);
});
