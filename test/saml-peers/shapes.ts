import shapes from './shapes.json' with { type: 'json' };

/** How an identity provider answers, as far as other people's libraries can be told to. */
export interface PeerShape {
  /** The recorders that can be told to; all peers where left out. */
  readonly stacks?: readonly string[];
  readonly signs: 'assertion' | 'response' | 'both';
  /** Of the signature and of the digest. */
  readonly hash: 'sha256' | 'sha512';
  /** RSASSA-PKCS1-v1_5 if left out. */
  readonly scheme?: 'pss' | 'ecdsa';
  /** How the assertion is encrypted: RSA-OAEP with SHA-1 and the key inside, if these are left out. */
  readonly encrypts?: { readonly content: string; readonly oaep?: string; readonly place?: string };
  /** Whether each value has an attribute of its own. */
  readonly repeatsAttributes?: boolean;
  readonly prefixes?: { readonly protocol: string; readonly assertion: string };
  /** The prefix of XML signatures. */
  readonly signaturePrefix: string;
  /** Whether attribute values say `xs:string`. */
  readonly isTyped: boolean;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** Where the email is to be found, if anywhere. */
  readonly email: string | null;
}

/** The settings of well-known identity providers, after their documentation; a file of its own because the recorders in other languages read it too. */
export const PEER_SHAPES = shapes as Readonly<Record<string, PeerShape>>;

/** Those that every peer can be told to. */
export const COMMON_SHAPES = Object.entries(PEER_SHAPES).filter(([, { stacks }]) => stacks === undefined);

/** The shape of a name. @throws where there is none */
export function shapeNamed(name: string): PeerShape {
  const shape = PEER_SHAPES[name];
  if (!shape) throw new Error(`no shape ${name}`);
  return shape;
}

/** The user that a login of a shape gives. */
export function userOfShape({ nameId, nameIdFormat, attributes, email }: PeerShape, sendsSeveralValues = true): object {
  const sent = Object.entries(attributes).map(([name, values]) => [name, sendsSeveralValues ? values : values.slice(0, 1)] as const);
  const claims = { NameID: [nameId], NameIDFormat: [nameIdFormat], ...Object.fromEntries(sent) };
  return { status: 'OK', sub: nameId, email, aud: 'c', claims };
}

/** Which elements of a document carry a signature, by their local names and in document order. */
export function signedElements(xml: string): readonly string[] {
  const carrier = /<(?:\w+:)?(Response|Assertion)\b[^>]*>\s*<(?:\w+:)?Issuer\b[^>]*>[^<]*<\/(?:\w+:)?Issuer>\s*<(?:\w+:)?Signature\b/g;
  return [...xml.matchAll(carrier)].map(([, name = '']) => name);
}

const SIGNED: Readonly<Record<PeerShape['signs'], readonly string[]>> = {
  assertion: ['Assertion'],
  response: ['Response'],
  both: ['Response', 'Assertion'],
};

/** The same as a shape promises it; of an encrypted assertion nothing is seen. */
export function signedByShape({ signs, encrypts }: PeerShape): readonly string[] {
  return SIGNED[signs].filter((name) => name === 'Response' || !encrypts);
}
