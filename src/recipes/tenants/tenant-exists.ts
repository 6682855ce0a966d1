import { type MaybePromise, type Reader, whenReady } from '../../store/store.ts';
import { tenants } from './records.ts';

/** Whether the tenant with this number exists still; what is kept under the number of a removed one counts for nothing and will be purged. */
export function tenantExists(reader: Reader, app: number, tenant: number): MaybePromise<boolean> {
  return whenReady(reader.find(tenants, 'byNumber', [app, tenant]), (record) => record !== undefined);
}
