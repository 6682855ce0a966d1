import { type Config, ConfigError } from '../config/config.ts';
import { type Blocklist, BlocklistFault, openBlocklist } from './blocklist.ts';

/** Opens the blocklist of a configuration, where it names one. @throws ConfigError where that cannot be used */
export function openConfigured({ password_blocklist: file }: Config): Blocklist | undefined {
  if (file === null) return undefined;
  try {
    return openBlocklist(file);
  } catch (error) {
    if (error instanceof BlocklistFault) throw new ConfigError([`'password_blocklist' cannot be used: ${error.message}`]);
    throw error;
  }
}
