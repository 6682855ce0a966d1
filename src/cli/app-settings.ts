import type { Setting } from '../transfer/settings.ts';
import { CommandFault, EXIT } from './command.ts';
import type { Core, Members } from './connection.ts';

/* Roles and tenants of an app, read and written through the endpoints that SDKs use. */

interface Enabled {
  readonly enabled?: boolean;
}

/** A tenant as it is listed: not in the newest form (`/v2`), which would forget which recipes are switched off. */
interface ListedTenant extends Members {
  readonly tenantId: string;
  readonly emailPassword?: Enabled;
  readonly passwordless?: Enabled;
  readonly thirdParty?: Enabled & { readonly providers?: readonly Members[] };
  readonly firstFactors?: readonly string[];
  readonly requiredSecondaryFactors?: readonly string[];
  readonly coreConfig?: Members;
}

const TENANT_PATH = '/recipe/multitenancy/tenant';
const PROVIDER_PATH = '/recipe/multitenancy/config/thirdparty';

/** The lines of an export before the users: roles with their permissions, then tenants. @throws CommandFault */
export async function settingLines(core: Core): Promise<readonly string[]> {
  const lines: object[] = [];
  const { roles } = await core.call<{ readonly roles: readonly string[] }>('GET', '/recipe/roles');
  for (const role of roles.toSorted()) {
    const { permissions } = await core.call<{ readonly permissions: readonly string[] }>('GET', '/recipe/role/permissions', {
      query: { role },
    });
    lines.push({ role, permissions: permissions.toSorted() });
  }
  const { tenants } = await core.call<{ readonly tenants: readonly ListedTenant[] }>('GET', `${TENANT_PATH}/list`);
  const sorted = tenants.toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
  return [...lines, ...sorted.map((tenant) => ({ tenant }))].map((line) => JSON.stringify(line));
}

/** Puts a setting into an app; answers why the core refuses it. @throws CommandFault where asking is no use */
export async function putSetting(core: Core, setting: Setting): Promise<string | undefined> {
  try {
    await (setting.kind === 'role' ? putRole(core, setting) : putTenant(core, setting));
    return undefined;
  } catch (error) {
    if (error instanceof CommandFault && error.code === EXIT.failed) return error.message;
    throw error;
  }
}

async function putRole(core: Core, { role, permissions }: Setting & { readonly kind: 'role' }): Promise<void> {
  await core.call('PUT', '/recipe/role', { body: { role, permissions } });
}

/** A tenant that is there already gets the factors and providers of the line, and the options that it names. */
async function putTenant(core: Core, { tenantId, tenant }: Setting & { readonly kind: 'tenant' }): Promise<void> {
  const { emailPassword, passwordless, thirdParty, coreConfig, ...rest }: Partial<ListedTenant> = tenant;
  // No list means that all enabled recipes count.
  const { firstFactors = null, requiredSecondaryFactors = null } = rest;
  const body = {
    tenantId,
    emailPasswordEnabled: emailPassword?.enabled ?? true,
    passwordlessEnabled: passwordless?.enabled ?? true,
    thirdPartyEnabled: thirdParty?.enabled ?? true,
    firstFactors,
    requiredSecondaryFactors,
    ...(Object.keys(coreConfig ?? {}).length > 0 && { coreConfig }),
  };
  await core.call('PUT', TENANT_PATH, { body });
  for (const config of thirdParty?.providers ?? [])
    await core.at({ tenantId }).call('PUT', PROVIDER_PATH, { body: { config, skipValidation: true }, inTenant: true });
}
