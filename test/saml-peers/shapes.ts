import shapes from './shapes.json' with { type: 'json' };

/** How an identity provider answers, as far as other people's libraries can be told to. */
export interface PeerShape {
  readonly signs: 'assertion' | 'response' | 'both';
  /** Of the RSA signature and of the digest. */
  readonly hash: 'sha256' | 'sha512';
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

/** The same as a shape promises it. */
export const SIGNED_BY_SHAPE: Readonly<Record<PeerShape['signs'], readonly string[]>> = {
  assertion: ['Assertion'],
  response: ['Response'],
  both: ['Response', 'Assertion'],
};
