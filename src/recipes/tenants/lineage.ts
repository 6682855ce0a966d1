import { type CoreConfig, NO_CORE_CONFIG } from '../../config/core-config.ts';
import type { Layer, LayerSource } from '../../config/effective.ts';
import { parseJsonObject } from '../../json/free-form.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Reader } from '../../store/store.ts';
import { type Address, DEFAULT_APP_ID, DEFAULT_TENANT_ID } from './address.ts';
import { type TenantRecord, tenants } from './records.ts';

/** A tenant and those it inherits configuration from, as stored; some may be the same record. */
export interface Lineage {
  readonly own: TenantRecord | undefined;
  /** The app's public tenant. */
  readonly app: TenantRecord | undefined;
  /** The public tenant of the public app of the connection URI domain. */
  readonly domain: TenantRecord | undefined;
}

/** Reads a tenant's lineage in one round. */
export function readLineage(reader: Reader, { cud, appId, tenantId }: Address): MaybePromise<Lineage> {
  return whenReady(
    reader.getMany([
      { collection: tenants, key: [cud, appId, tenantId] },
      { collection: tenants, key: [cud, appId, DEFAULT_TENANT_ID] },
      { collection: tenants, key: [cud, DEFAULT_APP_ID, DEFAULT_TENANT_ID] },
    ]),
    ([own, app, domain]) => ({ own, app, domain }),
  );
}

/** The stored values of a record, parsed. */
export function coreConfigOf(record: TenantRecord | undefined): CoreConfig {
  return (record && parseJsonObject(record.coreConfig)) ?? NO_CORE_CONFIG;
}

/** The own values of everybody whose values count at an address, nearest first. */
export function layersOf(address: Address, lineage: Lineage): readonly Layer[] {
  return [lineage.own, ...ancestors(address, lineage)].flatMap((record) =>
    record ? [{ source: sourceOf(record), values: coreConfigOf(record) }] : [],
  );
}

function sourceOf({ appId, tenantId }: TenantRecord): LayerSource {
  if (tenantId !== DEFAULT_TENANT_ID) return 'tenant';
  return appId === DEFAULT_APP_ID ? 'connection-uri-domain' : 'app';
}

/** The records that an address inherits values from, nearest first; without the record at the address itself. */
export function ancestors({ appId, tenantId }: Address, { app, domain }: Lineage): readonly (TenantRecord | undefined)[] {
  if (tenantId !== DEFAULT_TENANT_ID) return appId === DEFAULT_APP_ID ? [app] : [app, domain];
  return appId === DEFAULT_APP_ID ? [] : [domain];
}
