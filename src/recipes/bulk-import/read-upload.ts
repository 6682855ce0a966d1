import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../config/limits.ts';
import type { ReadUpload, UploadRules } from '../uploads.ts';
import { stringifyAnswer } from '../../json/answer.ts';
import { hasLongNumber, hasMoreParts } from '../../json/parts.ts';
import { InvalidJsonError, isJsonObject, type JsonTree, type JsonValue, parseJson } from '../../json/free-form.ts';
import { ImportRules } from './import-rules.ts';
import { type ImportedMethod, type ImportedUser, mainMethodOf } from './imported-user.ts';
import { type InvalidUser, validateUsers } from './validate-users.ts';

const TOO_MANY = `You can only add ${LIMITS.uploadedUsers} users at a time.`;
const INVALID = 'Data has missing or invalid fields. Please check the users field for more details.';

/** Reads the body of an upload: checks all users and makes of them what the queue keeps (contract 05 section 6.4). */
export function readUpload(body: Uint8Array, { now, ...names }: UploadRules): ReadUpload {
  const text = isUtf8(body) ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : '';
  if (hasMoreParts(text, LIMITS.uploadParts)) return { kind: 'too-large' };
  if (hasLongNumber(text)) return { kind: 'number-too-long' };
  const tree = readTree(text);
  if (tree === undefined || !isJsonObject(tree)) return { kind: 'not-json' };
  const given = tree['users'];
  if (!Array.isArray(given)) return { kind: 'no-list' };
  if (given.length > LIMITS.uploadedUsers) return { kind: 'too-many', text: stringifyAnswer({ error: TOO_MANY }) };
  // Ours: whoever moves users whole wants them so.
  const dropsNulls = tree['keepsNulls'] !== true;
  const rules = new ImportRules({ names, now, randomId: randomUUID, dropsNulls });
  const { invalid, users } = validateUsers(given, rules);
  if (invalid.length > 0) return { kind: 'invalid', text: stringifyAnswer({ error: INVALID, users: invalid.map(told) }) };
  return packed(users);
}

const told = ({ index, errors }: InvalidUser): JsonValue => ({ index, errors });

function readTree(text: string): JsonTree | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}

/** Puts what is kept of all users into one piece of memory, and words the answer. */
function packed(users: readonly ImportedUser[]): ReadUpload {
  const ends = new Uint32Array(users.length * 2);
  const pieces: Buffer[] = [];
  const answers: string[] = [];
  let ids = '';
  let size = 0;
  const add = (at: number, text: string): void => {
    const piece = Buffer.from(text);
    pieces.push(piece);
    size += piece.length;
    ends[at] = size;
  };
  for (const [at, { userMetadata = '', ...user }] of users.entries()) {
    const id = mainMethodOf(user.loginMethods).superTokensUserId;
    ids += id;
    add(at * 2, JSON.stringify(user));
    add(at * 2 + 1, userMetadata);
    answers.push(stringifyAnswer(entryView(id, user)));
  }
  const list = users.length === 0 ? '' : `,"users":[${answers.join(',')}]`;
  // Arrays of their own: what comes out of Node's pool of buffers cannot be given away.
  const texts = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    texts.set(piece, at);
    at += piece.length;
  }
  const answer = new Uint8Array(new TextEncoder().encode(`{"status":"OK"${list}}\n`));
  return { kind: 'users', count: users.length, ids, texts, ends, answer };
}

/** An entry in the answer to an upload, in both forms of it (contract 00). */
function entryView(id: string, { externalUserId, loginMethods }: Omit<ImportedUser, 'userMetadata'>): JsonValue {
  return { id, status: 'NEW', userId: externalUserId ?? id, loginMethods: loginMethods.map(methodView) };
}

/** What the answer tells of a login method beside its ids and tenants. */
const DETAILS: { readonly [R in ImportedMethod['recipeId']]: (method: ImportedMethod) => { readonly [name: string]: JsonValue } } = {
  emailpassword: ({ email }) => ({ email }),
  thirdparty: ({ email, thirdPartyId, thirdPartyUserId }) => ({ email, thirdpartyId: thirdPartyId, thirdpartyUserId: thirdPartyUserId }),
  passwordless: ({ email = null, phoneNumber = null }) => ({ email, phoneNumber }),
  webauthn: ({ email }) => ({ email }),
};

function methodView(method: ImportedMethod): JsonValue {
  const { recipeId, superTokensUserId, tenantIds } = method;
  return { recipeId, userId: superTokensUserId, tenants: tenantIds, ...DETAILS[recipeId](method) };
}
