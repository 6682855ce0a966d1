import { checkCoreConfig, type CoreConfig, type Family, mergeCoreConfig } from '../../config/core-config.ts';
import { LIMITS } from '../../config/limits.ts';
import { type JsonText, parseJsonObject, toJsonText } from '../../json/free-form.ts';
import type { Transaction } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { type Address, DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../tenants/address.ts';
import { isBase } from '../tenants/ensure-base-tenant.ts';
import { ancestors, coreConfigOf, type Lineage } from '../tenants/lineage.ts';
import { everyTenant, grouped } from '../tenants/pages.ts';
import { type TenantRecord, tenants } from '../tenants/records.ts';

/** A request's change of a tenant's own configuration. */
export interface CoreConfigUpdate {
  readonly target: Address;
  readonly lineage: Lineage;
  /** The partial update; none leaves the configuration as it is. */
  readonly sent: JsonText | undefined;
  /** The base tenant, whose effective configuration is the base configuration. */
  readonly base: Tenant;
}

/** The stored text of what `sent` makes of `stored` (contract 04 section 4.2). */
export function mergedCoreConfig(stored: JsonText, sent: JsonText | undefined): JsonText {
  if (sent === undefined) return stored;
  return toJsonText(mergeCoreConfig(parseJsonObject(stored) ?? {}, parseJsonObject(sent) ?? {}));
}

/** Checks what an update would leave behind (contract 04 section 4.3). @throws Refusal */
export async function checkUpdate(context: Context, tx: Transaction, update: CoreConfigUpdate, merged: JsonText): Promise<void> {
  if (update.sent === undefined) return;
  const { target, lineage, base } = update;
  if (Buffer.byteLength(merged) > LIMITS.coreConfigBytes) {
    throw new Refusal('bad-input', { text: `Invalid core config: it must not be larger than ${LIMITS.coreConfigBytes} bytes` });
  }
  const after = parseJsonObject(merged) ?? {};
  const outer = ancestors(target, lineage).map(coreConfigOf);
  const complaint = checkCoreConfig({
    base: base.config,
    testMode: context.testMode,
    protectedMode: context.protectedMode,
    isBaseTenant: isBase(target),
    before: coreConfigOf(lineage.own),
    after,
    outer,
    families: isBase(target) ? [] : await familiesOf(tx, target, after, outer),
  });
  if (complaint) throw new Refusal(complaint.refusal, { text: complaint.text });
}

/** Apps whose values depend on the target, as it would be. Tenants without values of their own follow their app. */
async function familiesOf(tx: Transaction, target: Address, after: CoreConfig, outer: readonly CoreConfig[]): Promise<Family[]> {
  if (target.tenantId !== DEFAULT_TENANT_ID) return [{ app: outer, tenants: [after] }];
  const isDomain = target.appId === DEFAULT_APP_ID;
  const prefix = isDomain ? ([target.cud] as const) : ([target.cud, target.appId] as const);
  const relatives = await everyTenant((page) => tx.page(tenants, 'configured', { prefix, ...page }));
  const apps = grouped(relatives, (record) => record.appId);
  return [...apps].map(([appId, members]) => ({
    app: appId === target.appId ? [after, ...outer] : [coreConfigOf(members.find(isPublic)), after],
    tenants: members.filter((record) => !isPublic(record)).map(coreConfigOf),
  }));
}

const isPublic = (record: TenantRecord): boolean => record.tenantId === DEFAULT_TENANT_ID;
