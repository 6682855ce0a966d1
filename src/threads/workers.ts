import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';
import type { KeyStock } from '../lanes/key-stock.ts';
import { keyWidth } from '../lanes/lane-limits.ts';
import type { WorkerPool } from './worker-pool.ts';

/** What the process has one of. */
export interface Workers {
  readonly pool: WorkerPool;
  readonly keyPairs: KeyStock;
}

/** Loads and opens the worker pool and the stock of signing keys, while the HTTP threads load. */
export async function openWorkers(config: Config): Promise<Workers> {
  const [{ WorkerPool }, { KeyStock }, { generateRsaKeyPair }] = await Promise.all([
    import('./worker-pool.ts'),
    import('../lanes/key-stock.ts'),
    import('../crypto/rsa-keys.ts'),
  ]);
  const cores = availableParallelism();
  const pool = new WorkerPool({
    argon2PoolSize: config.argon2_hashing_pool_size,
    firebasePoolSize: config.firebase_password_hashing_pool_size,
    cores,
  });
  const keyPairs = new KeyStock({ makeNow: generateRsaKeyPair, makeQuietly: () => pool.makeKeyPair(), width: keyWidth(cores) });
  return { pool, keyPairs };
}
