import type { AppNumber, Reader, TenantNumber, Transaction } from '../../store/store.ts';
import { type CounterName, counters } from './records.ts';

/** Raises a counter and answers its new value. */
async function raise(tx: Transaction, name: CounterName, by: number): Promise<number> {
  const counter = await tx.get(counters, [name]);
  const value = (counter?.value ?? 0) + by;
  await tx.put(counters, { name, value });
  return value;
}

/** A number for an app or a tenant that no other ever had. */
export async function newNumber(tx: Transaction): Promise<AppNumber & TenantNumber> {
  return (await raise(tx, 'numbers', 1)) as AppNumber & TenantNumber;
}

/** Marks a change of tenants or configuration, so that other processes forget what they remember. */
export async function markChange(tx: Transaction): Promise<void> {
  await raise(tx, 'generation', 1);
  tx.announce();
}

/** How many changes other processes may have seen; compared only for being equal. */
export function readGeneration(reader: Reader) {
  return reader.get(counters, ['generation']);
}
