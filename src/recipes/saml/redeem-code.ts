import { sha256Hex } from '../../crypto/digests.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type SamlClaimsRecord, samlClaims } from './records.ts';

/** Who logged in, as the identity provider said. */
export interface SamlUser {
  readonly claims: { readonly [name: string]: readonly string[] };
  /** What identifies the user at the identity provider. */
  readonly sub: string | null;
  readonly email: string | null;
  /** The id of the client. */
  readonly aud: string;
}

const IDENTITY = 'http://schemas.microsoft.com/identity/claims/';
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const SUBJECT_CLAIMS = ['NameID', `${IDENTITY}objectidentifier`, `${CLAIMS}name`];

/** `POST /recipe/saml/user` (contract 06 section 2.6); undefined for codes not, or no longer, good for this client. */
export function redeemCode(context: Context, { accessToken, clientId }: Commands['saml/redeem-code']): Promise<SamlUser | undefined> {
  return userOfCode(context, context.tenant, accessToken, clientId);
}

/** Uses the code up, also where it is another client's: whoever guesses gets one try. */
export async function userOfCode({ store, now }: Context, tenant: Tenant, code: string, clientId: string): Promise<SamlUser | undefined> {
  const key = [tenant.app, tenant.tenant, sha256Hex(code)] as const;
  const found = await store.transact(async (tx) => {
    const kept = await tx.get(samlClaims, key);
    if (kept) await tx.delete(samlClaims, key);
    return kept;
  });
  return found && found.expiresAt >= now() && found.clientId === clientId ? userOf(found, tenant.config.saml_email_attributes) : undefined;
}

function userOf({ claims, clientId }: SamlClaimsRecord, emailAttributes: readonly string[]): SamlUser {
  return { claims: Object.fromEntries(claims), ...identityIn(claims, emailAttributes), aud: clientId };
}

/** What back ends know a user by: of the claims, each a name with its values. */
export function identityIn(claims: SamlClaimsRecord['claims'], emailAttributes: readonly string[]): Pick<SamlUser, 'sub' | 'email'> {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => claims.find(([each]) => each === name)?.[1][0]).find((value) => value !== undefined);
  const nameId = first(['NameID']);
  const email = first(emailAttributes) ?? (nameId?.includes('@') ? nameId : undefined);
  return { sub: first(SUBJECT_CLAIMS) ?? null, email: email ?? null };
}
