import { move, transferableSymbol, valueSymbol } from 'piscina';
import { type HashTask, type Settled, settle, type UploadTask } from '../src/crypto/task.ts';
import { memoryOf, type ReadUpload } from '../src/crypto/upload.ts';
import { readUpload } from '../src/recipes/bulk-import/read-upload.ts';
import runHashTask from './hash.ts';

/** Reads an upload, whose result is given away without a copy, or hashes a password. */
export default async function runImportTask(task: HashTask | UploadTask): Promise<unknown> {
  if (task.kind !== 'upload') return runHashTask(task);
  const settled: Settled<ReadUpload> = await settle(() => readUpload(task.body, task.rules));
  const gives = 'value' in settled ? memoryOf(settled.value) : [];
  return move({ [transferableSymbol]: gives, [valueSymbol]: settled });
}
