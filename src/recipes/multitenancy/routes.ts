import type { Context } from '../context.ts';
import { type Answer, type Route, route } from '../route.ts';
import { associateUser, disassociateUser } from './associate-user.ts';
import type { FactorGeneration } from '../tenants/factors.ts';
import { getTenant } from './get-tenant.ts';
import { checkConnectionUriDomain } from './identifiers.ts';
import { listApps, listConnectionUriDomains, listTenants, type TenantPages } from './list-tenants.ts';
import { appTarget, domainTarget, putTenant, tenantTarget } from './put-tenant.ts';
import type { TenantRecord } from '../tenants/records.ts';
import { type Removal, removableAppId, removableTenantId, removeApp, removeConnectionUriDomain, removeTenant } from './remove-tenant.ts';
import { checkThirdPartyConfig, putThirdPartyConfig, removeThirdPartyConfig } from './third-party-configs.ts';
import { readingOf, tenantJson, tenantsAnswer } from './views.ts';

const putView = ({ createdNew }: { readonly createdNew: boolean }): Answer => ({ json: { status: 'OK', createdNew } });
const removeView = ({ didExist }: Removal): Answer => ({ json: { status: 'OK', didExist } });

const tenantView =
  (isV2: boolean) =>
  (record: TenantRecord | undefined, context: Context): Answer => ({
    json: record ? { status: 'OK', ...tenantJson(record, readingOf(context, isV2)) } : { status: 'TENANT_NOT_FOUND_ERROR' },
  });

/** A list under its name. */
const listView =
  (name: Parameters<typeof tenantsAnswer>[0], isV2: boolean) =>
  (pages: TenantPages, context: Context): Answer =>
    tenantsAnswer(name, pages, readingOf(context, isV2));

/** Both forms of a path: v1, whose rules follow the CDI version, and `/v2`. */
const FORMS = [
  { suffix: '', version: '', isV2: false, generation: ({ traits }: Context): FactorGeneration => traits.tenantGeneration },
  { suffix: '/v2', version: '-v2', isV2: true, generation: (): FactorGeneration => 'v2' },
] as const;

/** The target's id is checked before the scope guard, all else after it (contract 04 section 2.3). */
const PUT_ROWS: readonly Route[] = FORMS.flatMap(({ suffix, version, generation }) => [
  route({
    method: 'PUT',
    path: `/recipe/multitenancy/connectionuridomain${suffix}`,
    scope: 'tenant',
    input: `multitenancy/put-connection-uri-domain${version}`,
    response: 'multitenancy/put-tenant',
    summary: 'Create or update a connection URI domain',
    tells: ['tenant.written', 'app.written', 'connection-uri-domain.written'],
    early: (command, { address }) => void domainTarget(address, command.connectionUriDomain),
    run: (context, command) => putTenant(context, domainTarget(context.address, command.connectionUriDomain), generation(context), command),
    view: putView,
  }),
  route({
    method: 'PUT',
    path: `/recipe/multitenancy/app${suffix}`,
    scope: 'tenant',
    input: `multitenancy/put-app${version}`,
    response: 'multitenancy/put-tenant',
    summary: 'Create or update an app',
    tells: ['tenant.written', 'app.written', 'connection-uri-domain.written'],
    early: (command, { address }) => void appTarget(address, command.appId),
    run: (context, command) => putTenant(context, appTarget(context.address, command.appId), generation(context), command),
    view: putView,
  }),
  route({
    method: 'PUT',
    path: `/recipe/multitenancy/tenant${suffix}`,
    scope: 'tenant',
    input: `multitenancy/put-tenant${version}`,
    response: 'multitenancy/put-tenant',
    summary: 'Create or update a tenant',
    tells: ['tenant.written', 'app.written', 'connection-uri-domain.written'],
    early: (command, { address }) => void tenantTarget(address, command.tenantId),
    run: (context, command) => putTenant(context, tenantTarget(context.address, command.tenantId), generation(context), command),
    view: putView,
  }),
]);

const READ_ROWS: readonly Route[] = FORMS.flatMap(({ suffix, isV2 }) => [
  route({
    method: 'GET',
    path: `/recipe/multitenancy/tenant${suffix}`,
    scope: 'verb',
    response: 'multitenancy/get-tenant',
    summary: 'The addressed tenant',
    run: getTenant,
    view: tenantView(isV2),
  }),
  route({
    method: 'GET',
    path: `/recipe/multitenancy/tenant/list${suffix}`,
    scope: 'tenant',
    response: 'multitenancy/list-tenants',
    summary: 'All tenants of the app',
    run: listTenants,
    view: listView('tenants', isV2),
  }),
  route({
    method: 'GET',
    path: `/recipe/multitenancy/app/list${suffix}`,
    scope: 'tenant',
    response: 'multitenancy/list-apps',
    summary: 'All apps of the connection URI domain',
    run: listApps,
    view: listView('apps', isV2),
  }),
  route({
    method: 'GET',
    path: `/recipe/multitenancy/connectionuridomain/list${suffix}`,
    scope: 'tenant',
    response: 'multitenancy/list-connection-uri-domains',
    summary: 'All connection URI domains',
    run: listConnectionUriDomains,
    view: listView('connectionUriDomains', isV2),
  }),
]);

const REMOVE_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/multitenancy/tenant/remove',
    scope: 'tenant',
    input: 'multitenancy/remove-tenant',
    summary: 'Remove a tenant',
    tells: ['tenant.removed'],
    early: ({ tenantId }) => void removableTenantId(tenantId),
    run: removeTenant,
    view: removeView,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/multitenancy/tenant',
    scope: 'tenant',
    input: 'multitenancy/delete-tenant',
    response: 'multitenancy/remove-tenant',
    summary: 'The same under another method',
    tells: ['tenant.removed'],
    early: ({ tenantId }) => void removableTenantId(tenantId),
    run: removeTenant,
    view: removeView,
  }),
  route({
    method: 'POST',
    path: '/recipe/multitenancy/app/remove',
    scope: 'tenant',
    input: 'multitenancy/remove-app',
    response: 'multitenancy/remove-tenant',
    summary: 'Remove an app',
    tells: ['app.removed'],
    early: ({ appId }) => void removableAppId(appId),
    run: removeApp,
    view: removeView,
  }),
  route({
    method: 'POST',
    path: '/recipe/multitenancy/connectionuridomain/remove',
    scope: 'tenant',
    input: 'multitenancy/remove-connection-uri-domain',
    response: 'multitenancy/remove-tenant',
    summary: 'Remove a connection URI domain',
    tells: ['connection-uri-domain.removed'],
    early: ({ connectionUriDomain }) => void checkConnectionUriDomain(connectionUriDomain),
    run: removeConnectionUriDomain,
    view: removeView,
  }),
];

const PROVIDER_ROWS: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/recipe/multitenancy/config/thirdparty',
    scope: 'tenant',
    input: 'multitenancy/put-third-party-config',
    summary: "Set the tenant's configuration of a third-party provider",
    tells: ['provider.written'],
    early: checkThirdPartyConfig,
    run: putThirdPartyConfig,
    view: putView,
  }),
  route({
    method: 'POST',
    path: '/recipe/multitenancy/config/thirdparty/remove',
    scope: 'tenant',
    input: 'multitenancy/remove-third-party-config',
    summary: "Remove the tenant's configuration of a third-party provider",
    tells: ['provider.removed'],
    run: removeThirdPartyConfig,
    view: ({ didConfigExist }) => ({ json: { status: 'OK', didConfigExist } }),
  }),
];

const MEMBER_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/multitenancy/tenant/user',
    scope: 'tenant',
    input: 'multitenancy/associate-user',
    summary: 'Bring a login method into the tenant',
    tells: ['user.tenant-added'],
    run: associateUser,
    view: (association) => ({ json: association }),
  }),
  route({
    method: 'POST',
    path: '/recipe/multitenancy/tenant/user/remove',
    scope: 'tenant',
    input: 'multitenancy/disassociate-user',
    summary: 'Take a login method out of the tenant',
    tells: ['user.tenant-removed'],
    run: disassociateUser,
    view: (disassociation) => ({ json: disassociation }),
  }),
];

const CONFIGURING_ROWS = [PUT_ROWS, READ_ROWS, REMOVE_ROWS, PROVIDER_ROWS].flat();

/**
 * Tenants, apps and connection URI domains, their providers and members (contract 04 sections 2, 5 and 6). Who
 * configures tenants needs nothing else of the interface.
 */
export const ROUTES: readonly Route[] = [...CONFIGURING_ROWS.map((row): Route => ({ ...row, opensTo: 'tenants' })), ...MEMBER_ROWS];
