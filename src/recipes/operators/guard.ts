import type { AppNumber, Reader } from '../../store/store.ts';
import { Refusal } from '../refusal.ts';
import { type ApiScope, grants } from '../tenants/api-keys.ts';
import { operators } from './records.ts';

/**
 * Whoever sets the password of an operator can be that operator, so an API key of the interface alone must not do it.
 * @throws Refusal where the user is an operator and the caller may not do everything
 */
export async function guardOperator(reader: Reader, app: AppNumber, userId: string, held: readonly ApiScope[]): Promise<void> {
  if (grants(held, 'all') || !(await reader.get(operators, [app, userId]))) return;
  throw new Refusal('forbidden', { text: "This dashboard user is an operator: changing one needs the scope 'all'" });
}
