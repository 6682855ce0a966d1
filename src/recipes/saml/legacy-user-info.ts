import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { type SamlUser, userOfCode } from './redeem-code.ts';

const SCHEME = 'Bearer ';
/** Codes have no dots, client ids may. */
const TOKEN = /^([^.]+)\.(.+)$/s;

/** Code and client id from the header `Authorization`. @throws Refusal for what is no token, which uses nothing up */
function tokenOf({ authorization }: Context): readonly [code: string, clientId: string] {
  if (!authorization?.startsWith(SCHEME)) throw new Refusal('bad-input', { text: 'Authorization header is required' });
  const [, code, clientId] = TOKEN.exec(authorization.slice(SCHEME.length)) ?? [];
  if (code === undefined || clientId === undefined) throw new Refusal('bad-input', { text: 'INVALID_TOKEN_ERROR' });
  return [code, clientId];
}

/** Refused while the header is read, before anybody looks at where the request goes. */
export function checkLegacyUserInfo(_: unknown, context: Context): void {
  tokenOf(context);
}

/** `GET /recipe/saml/legacy/userinfo` (contract 06 section 3.4): who logged in, by a token. @throws Refusal */
export async function legacyUserInfo(context: Context): Promise<SamlUser> {
  const [code, clientId] = tokenOf(context);
  const user = await userOfCode(context, context.tenant, code, clientId);
  if (!user) throw new Refusal('bad-input', { text: 'INVALID_TOKEN_ERROR' });
  return user;
}
