import { LIMITS } from '../../config/limits.ts';
import type { Commands } from '../../generated/commands.ts';
import { hasMoreParts } from '../../json/parts.ts';
import { type JsonObject, type JsonText, parseJson, parseJsonObject, toJsonText } from '../../json/free-form.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { trimBlanks } from '../normalise.ts';
import { isProviderConfig, type ProviderConfig, providerIdOf, readProviderConfig } from './provider-config.ts';
import { keepingComplaint, providersComplaint } from './provider-rules.ts';
import { type TenantRecord, tenants } from '../tenants/records.ts';

const NO_PROVIDERS = toJsonText([]);

type PutCommand = Commands['multitenancy/put-third-party-config'];

/** The provider's id is checked like a field: before the tenant is looked for (contract 04 section 5.11). */
export function checkThirdPartyConfig({ config }: PutCommand): void {
  providerIdOf(configOf(config));
}

/** `PUT /recipe/multitenancy/config/thirdparty` (contract 04 section 5.11): replaces one provider. @throws Refusal */
export function putThirdPartyConfig(context: Context, command: PutCommand): Promise<{ readonly createdNew: boolean }> {
  const config = readProviderConfig(configOf(command.config));
  return changeProviders(context, async (providers) => {
    const others = providers.filter(({ thirdPartyId }) => thirdPartyId !== config.thirdPartyId);
    const next = [...others, config].toSorted((a, b) => (a.thirdPartyId < b.thirdPartyId ? -1 : 1));
    refuse(command.skipValidation === true ? keepingComplaint(config) : providersComplaint(next));
    const event = { kind: 'provider.written', provider: config.thirdPartyId } as const;
    return { next, event, result: { createdNew: others.length === providers.length } };
  });
}

/** `POST /recipe/multitenancy/config/thirdparty/remove` (contract 04 section 5.12). @throws Refusal for unfit others */
export function removeThirdPartyConfig(
  context: Context,
  command: Commands['multitenancy/remove-third-party-config'],
): Promise<{ readonly didConfigExist: boolean }> {
  const id = trimBlanks(command.thirdPartyId);
  return changeProviders(context, async (providers) => {
    const next = providers.filter(({ thirdPartyId }) => thirdPartyId !== id);
    refuse(providersComplaint(next));
    const didConfigExist = next.length < providers.length;
    return { next, event: didConfigExist ? { kind: 'provider.removed', provider: id } : undefined, result: { didConfigExist } };
  });
}

/** The providers of a stored tenant; what `readProviderConfig` did not make is no provider. */
export function providersOf(record: TenantRecord): ProviderConfig[] {
  const list = parseJson(providersText(record));
  return Array.isArray(list) ? list.filter(isProviderConfig) : [];
}

/** The same as they are shown. */
export function providersText({ providers }: TenantRecord): JsonText {
  return providers.startsWith('[') ? providers : NO_PROVIDERS;
}

interface Change<T> {
  readonly next: readonly ProviderConfig[];
  /** What is told of it. */
  readonly event: { readonly kind: 'provider.written' | 'provider.removed'; readonly provider: string } | undefined;
  readonly result: T;
}

function changeProviders<T>(context: Context, decide: (providers: readonly ProviderConfig[]) => Promise<Change<T>>): Promise<T> {
  const { store, tenant, address } = context;
  return store.transact(async (tx: Transaction) => {
    const record = await tx.get(tenants, [tenant.cud, tenant.appId, tenant.tenantId]);
    if (!record) throw new Refusal('tenant-not-found', address);
    const { next, event, result } = await decide(providersOf(record));
    const text = toJsonText([...next]);
    // A limit that was lowered must not keep a provider from being removed.
    if (text.length > record.providers.length) refuse(sizeComplaint(text));
    await tx.put(tenants, { ...record, providers: text });
    if (event) await recordEvent(tx, context, event.kind, { details: { provider: event.provider } });
    return result;
  });
}

function sizeComplaint(text: string): string | undefined {
  if (Buffer.byteLength(text) > LIMITS.providersBytes)
    return `Invalid third party config: all of a tenant must not be larger than ${LIMITS.providersBytes} bytes together`;
  return hasMoreParts(text, LIMITS.providersParts)
    ? `Invalid third party config: all of a tenant must not have more than ${LIMITS.providersParts} values together`
    : undefined;
}

function configOf(text: string): JsonObject {
  return parseJsonObject(text) ?? {};
}

function refuse(text: string | undefined): void {
  if (text !== undefined) throw new Refusal('bad-input', { text });
}
