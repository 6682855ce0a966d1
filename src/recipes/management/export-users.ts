import type { Commands } from '../../generated/commands.ts';
import type { JsonText } from '../../json/free-form.ts';
import { cursorText } from '../../store/pages.ts';
import type { Context } from '../context.ts';
import { lineOf, type Loss } from './exported-user.ts';
import { readPageOfUsers } from '../users/read-users.ts';
import { pageRange } from './page.ts';

/** A page of an export. */
export interface ExportedPage {
  /** JSON of the users, as `watchword import` reads them. */
  readonly users: readonly JsonText[];
  /** How often something was left out, by what it is. */
  readonly losses: Readonly<Partial<Record<Loss, number>>>;
  readonly nextPaginationToken: string | undefined;
}

/**
 * `GET /manage/v1/export/users`: users of the app with their secrets, by internal id; each page as it is when it is
 * asked for. @throws Refusal
 */
export function exportUsers(context: Context, command: Commands['management/export-users']): Promise<ExportedPage> {
  const { store, tenant } = context;
  const range = pageRange(command);
  return store.read(async (reader) => {
    const { items, next } = await readPageOfUsers(reader, tenant.app, range);
    const losses: Partial<Record<Loss, number>> = {};
    const onLoss = (loss: Loss): void => {
      losses[loss] = (losses[loss] ?? 0) + 1;
    };
    const lines = await Promise.all(items.map((user) => lineOf(reader, context, user, onLoss)));
    return { users: lines.filter((line) => line !== undefined), losses, nextPaginationToken: next && cursorText(next) };
  });
}
