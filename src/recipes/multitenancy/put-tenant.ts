import { EMPTY_OBJECT, type JsonText, parseJsonObject, toJsonText } from '../../json/free-form.ts';
import type { Transaction } from '../../store/store.ts';
import type { EventKind } from '../audit/kinds.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { type Address, DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../tenants/address.ts';
import { checkUpdate, mergedCoreConfig } from './core-config-update.ts';
import { markChange, newNumber } from '../tenants/counters.ts';
import { BASE_ADDRESS } from '../tenants/ensure-base-tenant.ts';
import { factorFields, factorStateOf } from '../tenants/factor-state.ts';
import {
  baseState,
  factorConflict,
  type FactorGeneration,
  factorNameComplaint,
  type FactorRequest,
  type FactorState,
  updateFactors,
} from '../tenants/factors.ts';
import { checkAppId, checkConnectionUriDomain, checkTenantId } from './identifiers.ts';
import { type Lineage, readLineage } from '../tenants/lineage.ts';
import { permissionComplaint } from './permission.ts';
import { providersComplaint } from './provider-rules.ts';
import { type TenantRecord, tenants } from '../tenants/records.ts';
import { providersOf } from './third-party-configs.ts';

/** What a request asks of a tenant; absent members leave things as they are. */
export interface TenantRequest extends FactorRequest {
  readonly coreConfig?: JsonText | undefined;
}

/** The tenant that `PUT …/tenant` names (contract 04 section 2.1). @throws Refusal for a malformed id */
export function tenantTarget({ cud, appId }: Address, tenantId: string | undefined): Address {
  return { cud, appId, tenantId: tenantId === undefined ? DEFAULT_TENANT_ID : checkTenantId(tenantId) };
}

/** The public tenant of the app in `PUT …/app`; the source's app does not count. @throws Refusal for a bad id */
export function appTarget({ cud }: Address, appId: string | undefined): Address {
  return { cud, appId: appId === undefined ? DEFAULT_APP_ID : checkAppId(appId), tenantId: DEFAULT_TENANT_ID };
}

/** The public tenant of the domain that `PUT …/connectionuridomain` names. @throws Refusal for a malformed domain */
export function domainTarget(_source: Address, cud: string | undefined): Address {
  return { ...BASE_ADDRESS, cud: cud === undefined ? '' : checkConnectionUriDomain(cud) };
}

/**
 * Creates or changes a tenant, app or connection URI domain in one transaction: contract 04 section 2.3 from step 3 on.
 * Answers whether it is new; of concurrent creators exactly one is told so. @throws Refusal
 */
export async function putTenant(
  context: Context,
  target: Address,
  generation: FactorGeneration,
  request: TenantRequest,
): Promise<{ readonly createdNew: boolean }> {
  refuseExcludedDomain(context, target);
  const base = await context.directory.find(BASE_ADDRESS);
  if (!base) throw new Error('the base tenant is missing');
  const createdNew = await context.store.transact((tx) => put(context, tx, { target, generation, request, base }));
  context.directory.changed();
  // A new app: whoever made it is answered before its keys are there.
  if (createdNew && target.tenantId === DEFAULT_TENANT_ID) context.keys.prepare(() => context.directory.find(target));
  return { createdNew };
}

function refuseExcludedDomain({ tenant }: Context, { cud }: Address): void {
  const only = tenant.config.supertokens_saas_load_only_cud;
  if (only !== null && cud !== '' && cud !== only) {
    throw new Refusal('bad-input', { text: 'Creation of connection uri domain or app or tenant is disallowed' });
  }
}

interface Put {
  readonly target: Address;
  readonly generation: FactorGeneration;
  readonly request: TenantRequest;
  readonly base: Tenant;
}

async function put(context: Context, tx: Transaction, { target, generation, request, base }: Put): Promise<boolean> {
  const lineage = await readLineage(tx, target);
  const stored = lineage.own;
  const factors = updatedFactors(stored, target, generation, request);
  refuse('forbidden', permissionComplaint(context.address, target));
  const coreConfig = mergedCoreConfig(stored?.coreConfig ?? EMPTY_OBJECT, request.coreConfig);
  await checkUpdate(context, tx, { target, lineage, sent: request.coreConfig, base }, coreConfig);
  if (stored) refuse('bad-input', providersComplaint(providersOf(stored)));
  const kept = stored ?? { ...target, ...(await newNumbers(context, tx, target, lineage)) };
  await tx.put(tenants, { ...kept, coreConfig, ...factorFields(factors) });
  await markChange(tx);
  const options = Object.keys(parseJsonObject(request.coreConfig ?? EMPTY_OBJECT) ?? {}).join(',');
  await recordEvent(tx, context, kindOf(target), { at: target, details: { isNew: stored === undefined, options } });
  return stored === undefined;
}

/** What an address names. */
function kindOf({ cud, appId, tenantId }: Address): EventKind {
  if (tenantId !== DEFAULT_TENANT_ID) return 'tenant.written';
  if (appId !== DEFAULT_APP_ID) return 'app.written';
  return cud === '' ? 'tenant.written' : 'connection-uri-domain.written';
}

function updatedFactors(
  stored: TenantRecord | undefined,
  target: Address,
  generation: FactorGeneration,
  request: TenantRequest,
): FactorState {
  if (generation === '5') refuse('bad-input', factorConflict(request));
  const before = stored ? factorStateOf(stored) : baseState(generation, target.tenantId === DEFAULT_TENANT_ID);
  const after = updateFactors(generation, before, request);
  refuse('bad-input', factorNameComplaint(after));
  return after;
}

/** The numbers of a tenant that does not exist yet; its parents may have been removed since the request was let in. */
async function newNumbers(
  { address }: Context,
  tx: Transaction,
  target: Address,
  { app, domain }: Lineage,
): Promise<Pick<TenantRecord, 'app' | 'tenant' | 'providers'>> {
  const isInApp = target.tenantId !== DEFAULT_TENANT_ID;
  const needsParent = isInApp || target.appId !== DEFAULT_APP_ID;
  const parent = isInApp ? app : domain;
  if (needsParent && !parent) throw new Refusal('tenant-not-found', address);
  return {
    app: isInApp && app ? app.app : await newNumber(tx),
    tenant: await newNumber(tx),
    providers: toJsonText([]),
  };
}

function refuse(refusal: 'bad-input' | 'forbidden', text: string | undefined): void {
  if (text !== undefined) throw new Refusal(refusal, { text });
}
