import type { Passwords } from '../crypto/crypto.ts';
import type { KeyPairs } from '../crypto/rsa-keys.ts';
import type { SamlXml } from '../crypto/saml/saml.ts';
import type { MainProbes } from '../http/plain-endpoints.ts';
import type { Served } from '../lanes/tasks.ts';
import type { ServerInfo } from '../recipes/context.ts';
import type { Uploads } from '../recipes/uploads.ts';
import type { Store } from '../store/store.ts';
import type { BackupTasks } from './backups.ts';
import type { ObservedTasks } from './thread-desk.ts';
import type { Workers } from './workers.ts';

/** What main does for its threads. */
export type MainTasks = Passwords &
  SamlXml &
  KeyPairs &
  Uploads &
  BackupTasks &
  MainProbes &
  Pick<ServerInfo, 'requestStats' | 'reload' | 'overview'>;

/** What of it the HTTP threads ask for. */
export const HTTP_TASKS = [
  'hashPassword',
  'verifyPassword',
  'readIdpMetadata',
  'checkSamlResponse',
  'keyPairFor',
  'takeUpload',
  'backupsState',
  'beginBackup',
  'wholeBackup',
  'endBackup',
  'metrics',
  'state',
  'requestStats',
  'overview',
  'reload',
] as const satisfies readonly (keyof MainTasks)[];

/** What main does for HTTP threads. */
export type HttpTasks = Pick<MainTasks, (typeof HTTP_TASKS)[number]>;

/** Of a store in the memory of another thread. */
const NO_UPLOADS: Uploads = { takeUpload: () => Promise.reject(new Error('main cannot reach the store of another thread')) };

/** What main does for threads once pool and store are open. @param opening no store if it is in a thread's memory */
export async function openMainTasks(
  loading: Promise<Workers>,
  opening: Promise<Store | undefined>,
  observed: ObservedTasks,
  backups: Served<BackupTasks>,
): Promise<Served<MainTasks>> {
  const [{ pool, keyPairs }, store, { openUploads }] = await Promise.all([
    loading,
    opening,
    import('../recipes/bulk-import/keep-upload.ts'),
  ]);
  const uploads = store ? openUploads(pool, store, Date.now) : NO_UPLOADS;
  return {
    ...pool.tasks,
    keyPairFor: (asked) => keyPairs.keyPairFor(...asked),
    takeUpload: (asked) => uploads.takeUpload(...asked),
    ...observed,
    ...backups,
  };
}
