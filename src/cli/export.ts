import { EXPORT, runExport } from '../transfer/export-users.ts';
import { bind } from './command.ts';

/** `watchword export`. */
export const EXPORT_COMMAND = bind(EXPORT, (line, { screen, signal }) => runExport(line, screen, signal));
