import type { Reloaded } from '../../config/reload.ts';
import { recordReload } from '../audit/record-reload.ts';
import type { Context } from '../context.ts';

/** `POST /manage/v1/config/reload`: what became of it. */
export async function reloadConfig(context: Context): Promise<Reloaded> {
  const reloaded = await context.server.reload();
  await recordReload(context.store, context, reloaded);
  return reloaded;
}
