import type { AppNumber, Reader } from '../../store/store.ts';
import { externalIds, type FoundId } from '../accounts/find.ts';
import type { Conflict } from '../accounts/linking.ts';
import type { InternalUserId } from '../accounts/ids.ts';

/** An error that names the primary user in the way; its id is external where mapped. */
export interface Obstacle<S extends string> {
  readonly status: S;
  readonly primaryUserId: string;
  readonly description: string;
}

export type InfoObstacle = Obstacle<'ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR'>;

/** What it says of the account info that another primary user has (contract 03 section 6). */
const DESCRIPTIONS: Readonly<Record<Conflict['type'], string>> = {
  email: "This user's email is already associated with another user ID",
  phone: "This user's phone number is already associated with another user ID",
  tparty: "This user's third party login is already associated with another user ID",
};

/** The answer to an account info that another primary user has. */
export function infoObstacle(reader: Reader, app: AppNumber, { type, primaryUserId }: Conflict): Promise<InfoObstacle> {
  const status = 'ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR';
  return obstacle(reader, app, primaryUserId, { status, description: DESCRIPTIONS[type] });
}

/** The answer where an id belongs to another user already. */
export function linkedObstacle<S extends string>(
  reader: Reader,
  app: AppNumber,
  { primaryUserId }: FoundId,
  named: Named<S>,
): Promise<Obstacle<S>> {
  return obstacle(reader, app, primaryUserId, named);
}

type Named<S extends string> = Omit<Obstacle<S>, 'primaryUserId'>;

async function obstacle<S extends string>(reader: Reader, app: AppNumber, id: InternalUserId, named: Named<S>): Promise<Obstacle<S>> {
  const external = await externalIds(reader, app, [id]);
  return { ...named, primaryUserId: external.get(id) ?? id };
}
