import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkNative } from '../../scripts/check-native.mjs';
import { PROJECT_ROOT } from '../running-core.ts';

test('a build stops where the native HTTP engine is not the recorded binary', () => {
  const own = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const installed = join(PROJECT_ROOT, 'node_modules', 'uWebSockets.js');
  // Elsewhere node:http serves, and there is nothing to check.
  if (!readdirSync(installed).includes(own))
    return console.log('not tested here: the checksum of the native HTTP engine, which has no binary here');
  const folder = mkdtempSync(join(tmpdir(), 'watchword-native-'));
  try {
    copyFileSync(join(installed, own), join(folder, own));
    expect(() => checkNative(folder)).not.toThrow();
    const bytes = readFileSync(join(folder, own));
    bytes.writeUInt8(bytes.readUInt8(100_000) ^ 1, 100_000);
    writeFileSync(join(folder, own), bytes);
    expect(() => checkNative(folder)).toThrow(`${own} is not the recorded binary`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
