import type { Transaction } from '../../../src/store/store.ts';
import { mappingsByExternalId, mappingsByInternalId } from '../../../src/recipes/accounts/mapping-records.ts';
import { checkLinking, checkMakingPrimary, type JoiningCheck, join } from '../../../src/recipes/accounts/linking.ts';
import { type LoginMethodRecord, loginMethods } from '../../../src/recipes/accounts/records.ts';
import { addLoginMethod, newLoginMethod, type NewLoginMethod } from '../../../src/recipes/accounts/login-methods.ts';
import type { Context } from '../../../src/recipes/context.ts';
import type { Tenant } from '../../../src/recipes/tenants/tenant.ts';
import type { InProcessAnswer, InProcessCallOptions, InProcessCore } from '../../in-process-core.ts';
import { asExternal, asInternal } from '../../../src/recipes/accounts/ids.ts';

/** Twenty at once. */
export const TWENTY: readonly number[] = Array.from({ length: 20 }, (_, at) => at);

/** The calls that tests of this recipe make, and what no endpoint of it does. */
export class Calls {
  readonly core: InProcessCore;

  constructor(core: InProcessCore) {
    this.core = core;
  }

  async post(path: string, body: object, options?: InProcessCallOptions): Promise<InProcessAnswer['body']> {
    return (await this.core.call('POST', path, body, options)).body;
  }

  signIn(email: string, password: string, options?: InProcessCallOptions & { readonly at?: string }): Promise<InProcessAnswer['body']> {
    return this.post(`${options?.at ?? ''}/recipe/signin`, { email, password }, options);
  }

  /** Answers the id of the new user. */
  async signUp(email: string, password = 'secret-1', at = ''): Promise<string> {
    const { status, user } = await this.post(`${at}/recipe/signup`, { email, password });
    if (status !== 'OK') throw new Error(`sign-up: ${String(status)}`);
    return (user as { readonly id: string }).id;
  }

  addTenant(tenantId: string, coreConfig: object = {}): Promise<InProcessAnswer> {
    return this.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId, coreConfig });
  }

  async tenant(tenantId = 'public'): Promise<Tenant> {
    const tenant = await this.core.services.directory.find({ cud: '', appId: 'public', tenantId });
    if (!tenant) throw new Error(`no tenant ${tenantId}`);
    return tenant;
  }

  transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.core.services.store.transact(body);
  }

  /** Adds a login method of any recipe to a tenant; answers its id. */
  async add(method: NewLoginMethod, tenantId = 'public'): Promise<string> {
    const context = { ...this.core.services, tenant: await this.tenant(tenantId) } as Context;
    const record = newLoginMethod(context, method);
    await this.transact((tx) => addLoginMethod(tx, record));
    return record.id;
  }

  /** Makes the first a primary user and links the others to it. */
  async link(primary: string, ...others: readonly string[]): Promise<void> {
    const { app } = await this.tenant();
    await this.transact(async (tx) => {
      const method = async (id: string): Promise<LoginMethodRecord> => {
        const found = await tx.get(loginMethods, [app, asInternal(id)]);
        if (!found) throw new Error('no such login method');
        return found;
      };
      const take = async ({ joining }: JoiningCheck): Promise<void> => {
        if (!joining) throw new Error('conflict');
        await join(tx, joining);
      };
      await take(await checkMakingPrimary(tx, await method(primary)));
      for (const id of others) await take(await checkLinking(tx, asInternal(primary), await method(id)));
    });
  }

  /** Gives an internal id an external one. */
  async map(superTokensUserId: string, externalUserId: string): Promise<void> {
    const { app } = await this.tenant();
    const ids = { superTokensUserId: asInternal(superTokensUserId), externalUserId: asExternal(externalUserId) };
    const mapping = { app, ...ids, externalUserIdInfo: null };
    await this.transact(async (tx) => {
      await tx.put(mappingsByInternalId, mapping);
      await tx.put(mappingsByExternalId, mapping);
    });
  }
}
