import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Reader, Seen } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { tenantExists } from '../tenants/tenant-exists.ts';
import { type OptionsRecord, webauthnOptions } from './records.ts';

/** Random bytes of a challenge. */
const CHALLENGE_BYTES = 32;

/** What distinguishes options; `timeout` in ms. */
type NewOptions = Pick<
  OptionsRecord,
  'email' | 'relyingPartyId' | 'relyingPartyName' | 'origin' | 'userVerification' | 'isPresenceRequired' | 'algorithms'
> & { readonly timeout: number };

/** Options of the addressed tenant that begin now. */
export function newOptions({ tenant, now, randomBytes, randomId }: Context, { timeout, ...given }: NewOptions): OptionsRecord {
  const createdAt = now();
  return {
    app: tenant.app,
    id: randomId(),
    tenant: tenant.tenant,
    challenge: randomBytes(CHALLENGE_BYTES).toString('base64url'),
    createdAt,
    expiresAt: createdAt + timeout,
    ...given,
  };
}

/** Options of a tenant by their id, expired ones too. */
export function optionsInTenant(reader: Reader, { app, tenant }: Tenant, id: string): MaybePromise<OptionsRecord | undefined> {
  return reader.get(webauthnOptions, [app, tenant, id]);
}

/** Options of an app by their id, of whatever tenant that is not removed, expired ones too. */
export async function optionsInApp(reader: Reader, { app, tenant }: Tenant, id: string): Promise<Seen<OptionsRecord> | undefined> {
  const own = await reader.getSeen(webauthnOptions, [app, tenant, id]);
  if (own) return own;
  const [key] = await reader.keys(webauthnOptions, 'inApp', { prefix: [app, id], limit: 1 });
  return key && (await tenantExists(reader, app, key[1])) ? reader.getSeen(webauthnOptions, key) : undefined;
}

/** How long options live, ms. */
export const timeoutOf = ({ createdAt, expiresAt }: OptionsRecord): number => expiresAt - createdAt;

/** If the clock was set back, options lie in the future: by one timeout at most, or they would live for longer. */
export const hasExpired = (options: OptionsRecord, now: number): boolean => Math.abs(now - options.createdAt) > timeoutOf(options);
