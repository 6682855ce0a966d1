import type { TakenUpload, UploadRules } from '../uploads.ts';
import type { Store } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { tenantIdsOf } from '../multitenancy/list-tenants.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_TENANT_ID } from '../tenants/address.ts';
import { SCOPES } from '../scope.ts';
import { roleNamesOf } from '../user-roles/list-roles.ts';

/**
 * `POST /bulk-import/users` (contract 05 section 6.4): other threads put all users of the body into the queue, or none.
 * Only faults of the body as a whole, or a lack of users, are told before those of the address. Answers finished JSON.
 */
export async function addUsers(context: Context): Promise<Uint8Array> {
  const { store, uploads, address, rawBody, now } = context;
  const scope = await scopeOf(context);
  const app = scope instanceof Refusal ? undefined : scope;
  const taken = await uploads.takeUpload(
    rawBody ?? new Uint8Array(0),
    await rulesFor(store, app, now()),
    app && { app: app.app, tenant: app.tenant },
  );
  if (taken.kind === 'gone') throw new Refusal('tenant-not-found', { ...address, tenantId: DEFAULT_TENANT_ID });
  if (taken.kind !== 'users' && taken.kind !== 'invalid') throw refusalOf(taken);
  if (taken.kind === 'users' && taken.count === 0) return taken.answer;
  if (scope instanceof Refusal) throw scope;
  if (taken.kind === 'invalid') throw refusalOf(taken);
  return taken.answer;
}

/** The app whose queue it is, or why nothing may be kept for whom the request is addressed to. */
async function scopeOf({ address, traits, directory }: Context): Promise<Tenant | Refusal> {
  try {
    return await SCOPES.app(address, traits, directory);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Without an app nothing is kept, and nothing told that depends on rules. */
async function rulesFor(store: Store, app: Tenant | undefined, now: number): Promise<UploadRules> {
  if (!app) return { roles: [], tenantIds: [], hasSignerKey: true, now };
  const [roles, tenantIds] = await Promise.all([roleNamesOf(store, app.app), tenantIdsOf(store, app)]);
  return { roles, tenantIds: [...tenantIds.values()], hasSignerKey: app.appConfig.firebase_password_hashing_signer_key !== null, now };
}

const UNREADABLE = { 'too-large': 'body-too-large', 'number-too-long': 'number-too-long', 'not-json': 'invalid-json' } as const;

function refusalOf(read: Exclude<TakenUpload, { readonly kind: 'users' | 'gone' }>): Refusal {
  if ('text' in read) return new Refusal('bad-input', { text: read.text });
  if (read.kind === 'no-list') return new Refusal('field-invalid', { field: 'users' });
  return new Refusal(UNREADABLE[read.kind]);
}
