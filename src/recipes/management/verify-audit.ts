import type { Commands } from '../../generated/commands.ts';
import { goesThrough, type Place, type Tail, unsealedTail, type VerifiedPiece, verifyPiece } from '../audit/verify-trail.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** What became of a piece of the trail, what nothing proves yet, and whether the trail goes through a place. */
export interface VerifiedAudit {
  readonly piece: VerifiedPiece;
  readonly tail: Tail;
  readonly passes: 'yes' | 'no' | 'trimmed' | undefined;
}

/** `GET /manage/v1/audit/verify`: a piece of the whole core's trail; callers ask until it is whole. @throws Refusal */
export async function verifyAudit({ store }: Context, command: Commands['management/verify-audit']): Promise<VerifiedAudit> {
  const from = placeIn('from', command.from);
  const through = placeIn('through', command.through);
  const piece = await verifyPiece(store, from);
  const tail = await store.read(unsealedTail);
  return { piece: withTail(piece, tail), tail, passes: through && (await store.read((reader) => goesThrough(reader, through))) };
}

/** What is damaged before it has a place would have stood behind the last event. */
function withTail(piece: VerifiedPiece, { damaged }: Tail): VerifiedPiece {
  if (!piece.isWhole || piece.finding || damaged === 0) return piece;
  const { number } = piece.to;
  return { ...piece, finding: { fault: 'unreadable', first: number + 1, last: number + damaged } };
}

/** A place as verifications show it: `NUMBER:HASH`. */
function placeIn(name: string, text: string | undefined): Place | undefined {
  if (text === undefined) return undefined;
  const [, number, hash] = /^([0-9]{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number === undefined || hash === undefined) throw new Refusal('bad-input', { text: `${name} must be NUMBER:HASH` });
  return { number: Number(number), hash };
}
