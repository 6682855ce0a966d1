import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as later } from 'node:timers/promises';

const PIECE_BYTES = 256 * 1024;
const LOOK_AGAIN_MS = 20;

/**
 * The bytes of a file that is still being written, from its beginning to its end. It may not be there yet.
 * @param whole resolves when nothing more comes; rejects, and so does the reading, where that will never be
 */
export async function* readGrowing(path: string, whole: Promise<unknown>): AsyncGenerator<Uint8Array, undefined> {
  let isWhole = false;
  const ended = whole.then(() => {
    isWhole = true;
  });
  // Whoever reads is told, here or by the caller's own promise.
  ended.catch(() => {});
  const more = (): Promise<unknown> => Promise.race([ended, later(LOOK_AGAIN_MS)]);
  let file: FileHandle | undefined;
  for (let wasWhole = isWhole; !file; wasWhole = isWhole) {
    file = await openIfThere(path, wasWhole);
    if (!file) await more();
  }
  try {
    for (let at = 0; ; ) {
      const wasWhole = isWhole;
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
      at += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (wasWhole) return;
      else await more();
    }
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string, mustBe: boolean): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (!mustBe && error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
