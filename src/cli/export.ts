import { EXPORT, runExport } from '../transfer/export-users.ts';
import { settingLines } from './app-settings.ts';
import { bind } from './command.ts';
import { apiKeyOf, withCore } from './connection.ts';

/** `watchword export`. */
export const EXPORT_COMMAND = bind(EXPORT, (line, { screen, signal }) => {
  const flags = { ...line.flags, 'tenant-id': undefined, json: false };
  return runExport(line, apiKeyOf(line.flags), () => withCore(flags, settingLines), screen, signal);
});
