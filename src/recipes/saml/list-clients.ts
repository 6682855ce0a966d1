import { LIMITS } from '../../config/limits.ts';
import type { Context } from '../context.ts';
import { type SamlClientRecord, samlClients } from './records.ts';
import type { Key } from '../../store/store.ts';

/** `GET /recipe/saml/clients/list` (contract 06 section 2.2): the clients of the tenant, oldest first. Other requests get their turn between two pages. */
export async function listClients({ store, tenant }: Context): Promise<SamlClientRecord[]> {
  const prefix = [tenant.app, tenant.tenant];
  const found: SamlClientRecord[] = [];
  for (let from: Key | undefined; ; ) {
    const range = { prefix, limit: LIMITS.samlClientPage, ...(from && { from }) };
    const page = await store.read((reader) => reader.list(samlClients, 'byCreation', range));
    found.push(...page);
    const last = page.at(-1);
    if (page.length < LIMITS.samlClientPage || !last) return found;
    // Index keys end with the primary key; a key with one more component stands right behind the last one.
    from = [...prefix, last.createdAt, ...samlClients.key(last), 0];
  }
}
