import { resolve } from 'node:path';
import { planStore, type StoreOptions, type StorePlan } from './plan.ts';

/** How a place is written on a command line. */
export const PLACE_TEXT = 'lmdb:DIR or postgres://USER@HOST/DATABASE; lmdb or postgres alone: as the configuration says';

/** Places for examples of commands. */
export const PLACE_EXAMPLES = { folder: 'lmdb:/data', database: 'postgres://watchword@db.example/watchword?sslmode=verify-full' } as const;

/** What a place says beyond its text. */
export interface PlaceManner {
  /** Instead of the options of the configuration; for places in databases. */
  readonly schema: string | undefined;
  readonly passwordFile: string | undefined;
}

const FOLDER = 'lmdb:';
const DATABASE = /^postgres(?:ql)?:\/\//;

/** The store that a text names; nothing where it names none. @param options say what the text leaves out */
export function planPlace(text: string, manner: PlaceManner, options: StoreOptions): StorePlan | undefined {
  if (text.startsWith(FOLDER) && text.length > FOLDER.length)
    return planStore({ ...options, store_engine: 'lmdb', data_dir: resolve(text.slice(FOLDER.length)) });
  if (text === 'lmdb') return planStore({ ...options, store_engine: 'lmdb' });
  const url = DATABASE.test(text) ? text : text === 'postgres' ? options.postgres_url : null;
  if (url === null) return undefined;
  return planStore({
    ...options,
    store_engine: 'postgres',
    postgres_url: url,
    postgres_schema: manner.schema ?? options.postgres_schema,
    postgres_password_file: manner.passwordFile ?? options.postgres_password_file,
  });
}
