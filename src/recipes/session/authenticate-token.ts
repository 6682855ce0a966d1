import {
  type AccessTokenParts,
  BAD_SIGNATURE_MESSAGE,
  parseAccessToken,
  readAccessTokenPayload,
  UNKNOWN_KEY_MESSAGE,
} from '../../crypto/access-token-reading.ts';
import { verifyRs256 } from '../../crypto/rs256.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import type { KeySet, SigningKey } from '../signing-keys/signing-keys.ts';
import type { VerifiedToken } from '../session-records/verified-tokens.ts';

/** Why a token is not one of ours; the messages are those of contract 02 section 2.3. */
export interface NotAuthentic {
  /** `MALFORMED`: no token; `INCOMPLETE`: a required member is missing; `FOREIGN`: no key of the app signed it. */
  readonly status: 'MALFORMED' | 'INCOMPLETE' | 'FOREIGN';
  readonly message: string;
}

const UNKNOWN_KEY: NotAuthentic = { status: 'FOREIGN', message: UNKNOWN_KEY_MESSAGE };
const BAD_SIGNATURE: NotAuthentic = { status: 'FOREIGN', message: BAD_SIGNATURE_MESSAGE };

/**
 * Steps 1 to 4 of reading an access token (contract 02 section 1.7): header, key, signature, required members. A token
 * that passed before in this thread passes again by a look-up, as long as the key that signed it may verify.
 */
export function authenticate(context: Context, text: string): MaybePromise<VerifiedToken | NotAuthentic> {
  const { repeated } = context;
  const known = repeated?.verified ?? context.verifiedTokens.get(text);
  if (known && known.app === context.tenant.app && !isKeyRetired(context, known)) {
    if (repeated) repeated.verified = known;
    return known;
  }
  const parsed = parseAccessToken(text);
  if (parsed.status !== 'OK') return parsed;
  const { parts } = parsed;
  const { keys, tenant } = context;
  return whenReady(keys.current(tenant), (set) => {
    const found = findKey(context, parts, set);
    if (!('message' in found)) return remember(context, text, parts, found);
    // The key may have been made by another thread or process a moment ago.
    if (found === BAD_SIGNATURE && parts.kid !== null) return found;
    return whenReady(keys.reload(tenant), (reloaded) => {
      const later = findKey(context, parts, reloaded);
      return 'message' in later ? later : remember(context, text, parts, later);
    });
  });
}

/** Whether the signature has to be checked again, because its key may verify no more. */
function isKeyRetired({ keys, tenant, now }: Context, { dynamicKey, keyChanges }: VerifiedToken): boolean {
  if (keyChanges !== tenant.keyChanges) return true;
  return dynamicKey !== null && dynamicKey.createdAt + keys.times(tenant).verifiableMs < now();
}

/** The key that signed the token: the one it names, or for V1 and V2 any. */
function findKey({ keys }: Context, parts: AccessTokenParts, set: KeySet): SigningKey | NotAuthentic {
  const { signature, kid, input } = parts;
  if (kid === null) {
    const signer = signature && [...set.dynamic, ...set.static].find((key) => verifyRs256(key.verifier, input, signature));
    return signer ?? BAD_SIGNATURE;
  }
  const named = keys.find(set, kid);
  if (!named) return UNKNOWN_KEY;
  return signature && verifyRs256(named.verifier, input, signature) ? named : BAD_SIGNATURE;
}

function remember(context: Context, text: string, parts: AccessTokenParts, key: SigningKey): VerifiedToken | NotAuthentic {
  const read = readAccessTokenPayload(parts);
  if (read.status !== 'OK') return read;
  const { token } = read;
  const verified: VerifiedToken = {
    app: context.tenant.app,
    keyChanges: context.tenant.keyChanges,
    token,
    // The same string for nearly all tokens, so that comparing it is comparing a reference.
    tenantId: token.tenantId === context.tenant.tenantId ? context.tenant.tenantId : token.tenantId,
    expirySeconds: Math.floor(token.expiryMs / 1000),
    dynamicKey: key.kid.startsWith('d-') ? key : null,
    hasParent: token.parentRefreshTokenHash1 !== null,
    lineage: undefined,
    row: undefined,
    rowTenant: 0,
    rowHasSameClaims: true,
  };
  if (token.expiryMs >= context.now()) context.verifiedTokens.add(text, verified);
  return verified;
}
