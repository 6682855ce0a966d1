import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import type { ImportedUser } from './imported-user.ts';
import { pageOfQueue, type QueuePage } from './list-queue.ts';
import { type QueueEntry, type QueueStatus, textsOf } from './records.ts';

/** An entry of the queue without anything secret: enough to know who it is. Times are ms since the epoch. */
export interface QueueSummary {
  readonly id: string;
  readonly status: QueueStatus;
  readonly errorMessage: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly externalUserId: string | undefined;
  /** The first of the login methods. */
  readonly email: string | undefined;
  readonly phoneNumber: string | undefined;
  readonly thirdPartyId: string | undefined;
  readonly thirdPartyUserId: string | undefined;
}

/** `GET /manage/v1/imports`: the queue of the app, the newest first. @throws Refusal */
export function listQueueSummaries(context: Context, command: Commands['bulk-import/list-imports']): Promise<QueuePage<QueueSummary>> {
  return pageOfQueue(context, command, (entry) => ({ item: summaryOf(entry), chars: entry.user.length }));
}

function summaryOf(entry: QueueEntry): QueueSummary {
  const { id, status, errorMessage, createdAt, updatedAt } = entry;
  // What is damaged is the empty object.
  const { externalUserId, loginMethods = [] } = JSON.parse(textsOf(entry).user) as Partial<ImportedUser>;
  const ofThirdParty = loginMethods.find(({ thirdPartyId }) => thirdPartyId !== undefined);
  return {
    id,
    status,
    errorMessage,
    createdAt,
    updatedAt,
    externalUserId,
    email: loginMethods.find(({ email }) => email !== undefined)?.email,
    phoneNumber: loginMethods.find(({ phoneNumber }) => phoneNumber !== undefined)?.phoneNumber,
    thirdPartyId: ofThirdParty?.thirdPartyId,
    thirdPartyUserId: ofThirdParty?.thirdPartyUserId,
  };
}
