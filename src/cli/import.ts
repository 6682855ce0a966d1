import { IMPORT } from '../transfer/import-plan.ts';
import { runImport } from '../transfer/import-users.ts';
import type { PutSetting } from '../transfer/settings.ts';
import { putSetting } from './app-settings.ts';
import { bind } from './command.ts';
import { apiKeyOf, type Core, openCore } from './connection.ts';

/** `watchword import`. */
export const IMPORT_COMMAND = bind(IMPORT, async (line, { screen, signal }) => {
  // Few files hold settings, and none needs the core for them before it is there.
  let opened: Promise<Core> | undefined;
  const put: PutSetting = async (setting) => {
    opened ??= openCore({ ...line.flags, 'tenant-id': undefined, json: false });
    return putSetting(await opened, setting);
  };
  try {
    return await runImport(line, apiKeyOf(line.flags), put, screen, signal);
  } finally {
    await (await opened)?.close();
  }
});
