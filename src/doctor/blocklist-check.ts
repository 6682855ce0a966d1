import { BlocklistFault, checkBlocklist, closeBlocklist, openBlocklist } from '../blocklist/blocklist.ts';
import type { Config } from '../config/config.ts';
import { ok, problem, type Verdict } from './finding.ts';

/** Reads the whole list, where there is one: a core looks at a page of it when a password needs that page. */
export async function checkPasswordBlocklist({ password_blocklist: file }: Config): Promise<readonly Verdict[]> {
  if (file === null) return [];
  try {
    const list = openBlocklist(file);
    try {
      await checkBlocklist(list);
      return [ok(`${list.shape.passwords.toLocaleString('en-US')} passwords of ${file} cannot be chosen`)];
    } finally {
      closeBlocklist(list);
    }
  } catch (error) {
    if (!(error instanceof BlocklistFault)) throw error;
    return [problem(error.message, 'build it anew with "watchword blocklist build"')];
  }
}
