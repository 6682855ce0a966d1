import type { Commands } from '../../generated/commands.ts';
import { countActiveSince } from '../active-users/count.ts';
import type { Context } from '../context.ts';

/** `GET /users/count/active` (contract 01 section 3.9) */
export async function countActiveUsers({ store, tenant }: Context, { since }: Commands['users/count-active-users']): Promise<number> {
  const [count = 0] = await countActiveSince(store, tenant.app, [since]);
  return count;
}
