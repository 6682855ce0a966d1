import type { ForeignDatabase, ForeignPlan } from './foreign-database.ts';

/** Opens a database that is only read; what speaks to it is loaded by who needs it. @throws ForeignFault */
export async function openForeign(plan: ForeignPlan): Promise<ForeignDatabase> {
  const { readForeign } = await import('./postgres/read-foreign.ts');
  return readForeign(plan);
}
