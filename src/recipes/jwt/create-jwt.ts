import { claimsAsSigned } from '../../crypto/access-token.ts';
import type { Commands } from '../../generated/commands.ts';
import { isJsonObject, type JsonObject, type JsonText, parseJson, toJsonText } from '../../json/free-form.ts';
import { hasIntegerBeyondInt64 } from '../../json/integers.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { signingKey } from '../session/tokens.ts';

export type CreateJwtResult = { readonly status: 'UNSUPPORTED_ALGORITHM_ERROR' } | { readonly status: 'OK'; readonly jwt: string };

/** `POST /recipe/jwt` (contract 01 section 5.1). Nothing is stored; the caller's members win over `iat`, `exp` and `iss`. */
export async function createJwt(context: Context, command: Commands['jwt/create-jwt']): Promise<CreateJwtResult> {
  if (command.algorithm.toUpperCase() !== 'RS256') return { status: 'UNSUPPORTED_ALGORITHM_ERROR' };
  if (hasIntegerBeyondInt64(command.payload)) throw new Refusal('field-invalid', { field: 'payload' });
  const useStaticKey = !context.traits.modernSessions || command.useStaticSigningKey !== false;
  const key = await signingKey(context, context.tenant, useStaticKey);
  const now = context.now();
  const times = { iat: Math.floor(now / 1000), exp: Math.floor((now + command.validity * 1000) / 1000) };
  const payload = toJsonText({ ...times, iss: command.jwksDomain, ...callerMembers(command.payload) });
  const header = `{"kid":"${key.kid}","typ":"JWT","alg":"RS256"}`;
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`;
  const signature = await context.crypto.signRs256(input, key.privateKey);
  return { status: 'OK', jwt: `${input}.${Buffer.from(signature).toString('base64url')}` };
}

/** The caller's members, with `aud` in the form in which every token shows it. */
function callerMembers(payload: JsonText): JsonObject {
  const tree = parseJson(claimsAsSigned('5', payload));
  if (!isJsonObject(tree)) throw new Refusal('field-invalid', { field: 'payload' });
  return tree;
}
