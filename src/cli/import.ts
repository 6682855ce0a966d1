import { IMPORT } from '../transfer/import-plan.ts';
import { runImport } from '../transfer/import-users.ts';
import { bind } from './command.ts';
import { apiKeyOf } from './connection.ts';

/** `watchword import`. */
export const IMPORT_COMMAND = bind(IMPORT, (line, { screen, signal }) => runImport(line, apiKeyOf(line.flags), screen, signal));
