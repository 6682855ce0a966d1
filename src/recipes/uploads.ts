import type { AppNumber, TenantNumber } from '../store/store.ts';

/** What users of an upload are checked against; plain data, as it crosses threads (contract 05 section 6.3). */
export interface UploadRules {
  /** Names of the roles of the app. */
  readonly roles: readonly string[];
  readonly tenantIds: readonly string[];
  /** Whether the app has the signer key that firebase hashes need. */
  readonly hasSignerKey: boolean;
  /** ms since the epoch. */
  readonly now: number;
}

/** Checked users of an upload in the form of the queue: bytes, so that they cross threads without a copy. */
export interface UploadedUsers {
  readonly kind: 'users';
  readonly count: number;
  /** The id of each, 36 characters long, one after the other. */
  readonly ids: string;
  /** For each user its JSON without metadata, then its metadata, in UTF-8; all of them one after the other. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** Where each of these texts ends, two for a user; an empty one stands for no metadata. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** The finished JSON answer. */
  readonly answer: Uint8Array<ArrayBuffer>;
}

/** What a body with users came to. */
export type ReadUpload =
  | UploadedUsers
  /** The body holds more than a thread can, or too long a number, is no JSON object, or its `users` are no list. */
  | { readonly kind: 'too-large' | 'number-too-long' | 'not-json' | 'no-list' }
  /** What is wrong, as the contract words it (05 section 6.4). */
  | { readonly kind: 'too-many'; readonly text: string }
  | { readonly kind: 'invalid'; readonly text: string };

/** What an upload came to whose users, if it had any, are in the queue. */
export type TakenUpload =
  | Pick<UploadedUsers, 'kind' | 'count' | 'answer'>
  | Exclude<ReadUpload, UploadedUsers>
  /** The app was removed while the body waited or was read. */
  | { readonly kind: 'gone' };

/** Numbers of the app whose queue keeps the users, and of its public tenant, without which the app is gone. */
export interface UploadPlace {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
}

/** Reads bodies with many users where it holds no event loop. */
export interface UploadReader {
  /** The body is given away: its bytes are gone afterwards. Rejects with `LaneFullError` as the lanes do. */
  readUpload(body: Uint8Array<ArrayBuffer>, rules: UploadRules): Promise<ReadUpload>;
}

/** Takes in many users where no request waits: ten thousand in one transaction leave some 100 ms of garbage. */
export interface Uploads {
  /** Reads a body, which is given away; queues all users or none. @param place undefined where nothing must be kept */
  takeUpload(body: Uint8Array<ArrayBuffer>, rules: UploadRules, place: UploadPlace | undefined): Promise<TakenUpload>;
}
