import { pagesOf } from '../../store/pages.ts';
import type { Pages } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { type SamlClientRecord, samlClients } from './records.ts';

/** Clients that are in memory at once; each may have the certificates of large metadata. */
const PAGE = 50;

/** `GET /recipe/saml/clients/list` (contract 06 section 2.2): the clients of the tenant, oldest first. */
export function listClients({ store, tenant }: Context): Promise<Pages<readonly SamlClientRecord[]>> {
  const prefix = [tenant.app, tenant.tenant] as const;
  return store.readPages((reader, hold) => hold(pagesOf((page) => reader.page(samlClients, 'byCreation', { prefix, ...page }), PAGE)));
}
