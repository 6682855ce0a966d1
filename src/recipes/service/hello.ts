import { Remembered } from '../../caches/remembered.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { readKeyValue } from '../key-value/key-values.ts';

const BUCKET_SIZE = 5;
const REFILL_MS = 200;
const REMEMBERED_APPS = 10_000;

interface Bucket {
  tokens: number;
  grantedAt: number;
}

const buckets = new Remembered<number, Bucket>(REMEMBERED_APPS);

/** Takes a token of the app's bucket; false when it is empty (contract 01 section 3.2). */
function takeToken(app: AppNumber, now: number): boolean {
  const bucket = buckets.get(app) ?? { tokens: BUCKET_SIZE, grantedAt: now };
  const tokens = Math.min(BUCKET_SIZE, bucket.tokens + Math.max(0, Math.floor((now - bucket.grantedAt) / REFILL_MS)));
  if (tokens === 0) return false;
  buckets.set(app, { tokens: tokens - 1, grantedAt: now });
  return true;
}

/** `/hello` (contract 01 section 3.2): reads the store, unless the app asked too often lately. */
export function hello({ store, tenant, now }: Context): MaybePromise<string> {
  if (!takeToken(tenant.app, now())) return 'Hello';
  return whenReady(
    store.read((reader) => readKeyValue(reader, tenant.app, 'Test')),
    () => 'Hello',
  );
}
