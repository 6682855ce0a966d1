import { Refusal } from '../refusal.ts';
import { type Address, DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../tenants/address.ts';

/** A condition under which `source` may not write `target`, and the text of the 403. */
interface Ban {
  readonly applies: (source: Address, target: Address) => boolean;
  readonly text: string;
}

const inOtherTenant = ({ tenantId }: Address, target: Address) => tenantId !== DEFAULT_TENANT_ID && tenantId !== target.tenantId;
const inOtherApp = ({ appId }: Address, target: Address) => appId !== target.appId;
const inOtherDomain = ({ cud }: Address, target: Address) => cud !== target.cud;

const TENANT_BANS: readonly Ban[] = [
  { applies: inOtherTenant, text: 'You must use the public or same tenant to add/update a tenant' },
  {
    applies: (source, target) => inOtherApp(source, target) || inOtherDomain(source, target),
    text: 'You must use the same app to create/update a tenant',
  },
];

const APP_BANS: readonly Ban[] = [
  {
    applies: (source, target) => source.tenantId !== DEFAULT_TENANT_ID || (source.appId !== DEFAULT_APP_ID && inOtherApp(source, target)),
    text: 'You must use the public or same app to add/update an app',
  },
  { applies: inOtherDomain, text: 'You must use the same connection URI domain to create/update an app' },
];

const DOMAIN_TEXT = 'You must use the default or same connectionUriDomain to create/update a connectionUriDomain';

const DOMAIN_BANS: readonly Ban[] = [
  {
    applies: (source, target) =>
      source.tenantId !== DEFAULT_TENANT_ID || source.appId !== DEFAULT_APP_ID || (source.cud !== '' && inOtherDomain(source, target)),
    text: DOMAIN_TEXT,
  },
];

/** Only tenants of the base app may write the base tenant (contract 00; the reference checks nothing here). */
const BASE_BANS: readonly Ban[] = [
  { applies: (source, target) => inOtherApp(source, target) || inOtherDomain(source, target), text: DOMAIN_TEXT },
];

function bansFor({ cud, appId, tenantId }: Address): readonly Ban[] {
  if (tenantId !== DEFAULT_TENANT_ID) return TENANT_BANS;
  if (appId !== DEFAULT_APP_ID) return APP_BANS;
  return cud === '' ? BASE_BANS : DOMAIN_BANS;
}

/** Why a request to `source` may not create or change `target` (contract 04 section 2.4); undefined when it may. */
export function permissionComplaint(source: Address, target: Address): string | undefined {
  return bansFor(target).find((ban) => ban.applies(source, target))?.text;
}

/** Answers 403 with the given text where something is not allowed. @throws Refusal */
export function allow(allowed: boolean, text: string): void {
  if (!allowed) throw new Refusal('forbidden', { text });
}
