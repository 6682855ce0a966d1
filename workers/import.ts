import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { Passwords } from '../src/crypto/crypto.ts';
import { hashPassword } from '../src/crypto/passwords.ts';
import { type Asked, performs } from '../src/lanes/perform.ts';
import { memoryOf } from '../src/lanes/tasks.ts';
import { readUpload } from '../src/recipes/bulk-import/read-upload.ts';
import type { UploadReader } from '../src/recipes/uploads.ts';

const perform = performs<Pick<Passwords, 'hashPassword'> & UploadReader>({ hashPassword, readUpload });

/** Reads an upload, whose result is given away without a copy, or hashes a password. */
export default async function runImportTask(task: Asked): Promise<unknown> {
  const settled = await perform(task);
  const gives = 'value' in settled ? memoryOf(settled.value) : [];
  return move({ [transferableSymbol]: gives, [valueSymbol]: settled });
}
