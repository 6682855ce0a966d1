import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MigrateFault } from './fault.ts';

/**
 * Writes lines to a file that only its owner may read, in place of what it held; without any there is no file.
 * @param pages with the ends of lines @returns how many lines @throws MigrateFault
 */
export async function writeLines(file: string, pages: AsyncIterable<readonly string[]>): Promise<number> {
  let lines = 0;
  async function* texts(): AsyncGenerator<string, undefined> {
    for await (const page of pages) {
      lines += page.length;
      yield page.join('');
    }
  }
  try {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    await pipeline(texts, createWriteStream(file, { mode: 0o600 }));
    if (lines === 0) rmSync(file);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new MigrateFault(`${file} cannot be written: ${error.message}`, { cause: error });
    throw error;
  }
  return lines;
}
