import { membersAsSigned, PROTECTED_FIELD_MESSAGE } from '../../crypto/access-token.ts';
import type { Commands } from '../../generated/commands.ts';
import { isJsonObject, type JsonObject, type JsonText, parseJson, toJsonText } from '../../json/free-form.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { checkClaims } from '../session/claims.ts';
import { signingKey } from '../session/tokens.ts';

export type CreateJwtResult = { readonly status: 'UNSUPPORTED_ALGORITHM_ERROR' } | { readonly status: 'OK'; readonly jwt: string };

/**
 * What only access tokens say. SDKs verify those by themselves, and take a token without a version for the newest: one
 * with both members would pass there for a session.
 */
const SESSION_MEMBERS = ['sessionHandle', 'refreshTokenHash1'];

/** `POST /recipe/jwt` (contract 01 section 5.1). Stores nothing; the caller's members win over `iat`, `exp`, `iss`. */
export async function createJwt(context: Context, command: Commands['jwt/create-jwt']): Promise<CreateJwtResult> {
  if (command.algorithm.toUpperCase() !== 'RS256') return { status: 'UNSUPPORTED_ALGORITHM_ERROR' };
  checkClaims('payload', command.payload);
  const members = callerMembers(command.payload);
  if (SESSION_MEMBERS.every((name) => Object.hasOwn(members, name))) throw new Refusal('bad-input', { text: PROTECTED_FIELD_MESSAGE });
  const useStaticKey = !context.traits.modernSessions || command.useStaticSigningKey !== false;
  const key = await signingKey(context, context.tenant, useStaticKey);
  const now = context.now();
  const times = { iat: Math.floor(now / 1000), exp: Math.floor((now + command.validity * 1000) / 1000) };
  const payload = toJsonText({ ...times, iss: command.jwksDomain, ...members });
  const header = `{"kid":"${key.kid}","typ":"JWT","alg":"RS256"}`;
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`;
  const signature = await context.crypto.signRs256(input, key.privateKey);
  return { status: 'OK', jwt: `${input}.${Buffer.from(signature).toString('base64url')}` };
}

/** The caller's members, with `aud` in the form in which every token shows it. */
function callerMembers(payload: JsonText): JsonObject {
  const tree = parseJson(payload);
  if (!isJsonObject(tree)) throw new Refusal('field-invalid', { field: 'payload' });
  return membersAsSigned(tree);
}
