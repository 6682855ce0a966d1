import type { ArrivedResponse, SamlCheck, SamlExpectation } from '../../crypto/saml/saml.ts';
import { certificateSha256 } from '../../crypto/saml/certificate-facts.ts';

/** What the words of a check are made of. */
export interface Seen {
  readonly expected: SamlExpectation;
  readonly arrived: ArrivedResponse | undefined;
}

/** A check as people read it. */
interface CheckWords {
  /** What holds where the check does. */
  readonly title: string;
  readonly expected?: (seen: Seen) => string | undefined;
  readonly found?: (seen: Seen) => string | undefined;
  /** What to do where it does not. */
  readonly change: (seen: Seen) => string;
}

const SYNCHRONISE = 'Set both clocks by the network (NTP)';

/** What each check is about: what was expected and found, and what to change where it failed. */
export const CHECK_WORDS: Readonly<Record<SamlCheck | 'replay', CheckWords>> = {
  response: {
    title: 'A SAML response arrived that can be read',
    change: () =>
      'The back end must pass on the field SAMLResponse of the posted form unchanged: base64 of an XML document in UTF-8 of at most ' +
      '256 KiB, whose root is a Response of SAML 2.0, without document type and entities.',
  },
  form: {
    title: 'It holds one assertion, in the form that every library reads alike',
    change: () =>
      'The identity provider must send one Response with one Assertion, encrypted or not: no comments, no EncryptedID, no ' +
      'EncryptedAttribute. Choose its ordinary web single sign-on with the HTTP-POST binding.',
  },
  decryption: {
    title: 'The assertion can be decrypted',
    change: ({ expected }) =>
      expected.decryptionKeys.length === 0
        ? 'This tenant has no encryption key: set its option saml_publish_encryption_key and give the identity provider our metadata ' +
          'again, or switch the encryption of assertions off there.'
        : 'Give the identity provider our present metadata, and have it encrypt with AES-GCM and RSA-OAEP.',
  },
  signature: {
    title: 'It is signed with a certificate of the client',
    expected: ({ expected }) => `SHA-256 ${expected.certificates.map(certificateSha256).join(' or ')}`,
    found: ({ arrived }) => (arrived?.signedBy === undefined ? signaturesIn(arrived) : `SHA-256 ${arrived.signedBy}`),
    change: changeOfSignature,
  },
  status: {
    title: 'The identity provider says that the login went well',
    expected: () => 'urn:oasis:names:tc:SAML:2.0:status:Success',
    found: ({ arrived }) => joined([arrived?.status, arrived?.statusMessage]),
    change: () =>
      'The identity provider refused the login itself: its log says why. Often the person is not assigned to this application, or ' +
      'entity id and ACS URL are not those that it knows.',
  },
  issuer: {
    title: 'It comes from the identity provider of the client',
    expected: ({ expected }) => expected.idpEntityId,
    found: ({ arrived }) => joined([arrived?.issuer, arrived?.assertion?.issuer]),
    change: () => 'Another identity provider answered than the one whose metadata the client has: upload the metadata of this one.',
  },
  issued: {
    title: 'It was issued just now',
    expected: ({ expected }) => `within 5 minutes of ${clockOf(expected)}`,
    found: ({ arrived }) => joined([arrived?.issuedAt, arrived?.assertion?.issuedAt]),
    change: () => `${SYNCHRONISE}. A response that was captured a while ago fails here, too.`,
  },
  destination: {
    title: 'The Response is addressed to our ACS URL',
    expected: ({ expected }) => expected.acsUrl,
    found: ({ arrived }) => arrived?.destination,
    change: ({ expected }) => `Set the ACS URL (Reply URL, Single sign-on URL) at the identity provider to ${expected.acsUrl ?? ''}`,
  },
  request: {
    title: 'It answers this request',
    expected: ({ expected }) => expected.requestIds[0],
    found: ({ arrived }) => arrived?.inResponseTo,
    change: () =>
      'It answers another request: begin anew, in one browser tab. If it happens again, the identity provider does not write the id ' +
      'of the request into InResponseTo.',
  },
  subject: {
    title: 'The assertion confirms its subject to us',
    expected: ({ expected }) => joined([expected.acsUrl, `later than ${clockOf(expected)}`, expected.requestIds[0]]),
    found: ({ arrived }) => confirmationsIn(arrived),
    change: ({ expected }) =>
      `The assertion must have a SubjectConfirmation of the method bearer with a NotOnOrAfter in the future, the Recipient ` +
      `${expected.acsUrl ?? 'that is our ACS URL'}, and the id of the request in InResponseTo.`,
  },
  validity: {
    title: 'The assertion is valid now',
    expected: ({ expected }) => clockOf(expected),
    found: ({ arrived }) => joined([arrived?.assertion?.notBefore, arrived?.assertion?.notOnOrAfter], ' to '),
    change: () => `${SYNCHRONISE}; the option saml_time_tolerance_ms forgives up to five minutes.`,
  },
  audience: {
    title: 'The assertion is meant for our entity id',
    expected: ({ expected }) => expected.audience,
    found: ({ arrived }) => joined(arrived?.assertion?.audiences ?? []),
    change: ({ expected }) =>
      `Set the audience (SP entity id, Identifier) at the identity provider to ${expected.audience}, or the tenant's option ` +
      'saml_sp_entity_id to what it sends.',
  },
  session: {
    title: 'The session at the identity provider goes on',
    expected: ({ expected }) => `later than ${clockOf(expected)}`,
    found: ({ arrived }) => arrived?.assertion?.sessionNotOnOrAfter,
    change: () => `Sign out at the identity provider and in again. ${SYNCHRONISE}.`,
  },
  name: {
    title: 'It names a user',
    found: ({ arrived }) => arrived?.assertion?.nameId,
    change: () => 'The Assertion must have an ID, and a NameID of at most 1024 characters without control characters.',
  },
  replay: {
    title: 'The assertion is used for the first time',
    change: () => 'The same assertion came before: begin anew, and do not reload the page on which the identity provider sends it.',
  },
};

function changeOfSignature({ expected, arrived }: Seen): string {
  const signatures = arrived?.signatures ?? [];
  if (signatures.length === 0) return 'Have the identity provider sign the assertion, the response or both.';
  const known = new Set(expected.certificates.map(certificateSha256));
  const strange = signatures.some(({ certificate }) => certificate !== undefined && !known.has(certificate));
  return strange
    ? 'It is signed with a certificate that the client does not have: upload the present metadata of the identity provider.'
    : 'Either it was changed on its way, or it was signed in a way that is not accepted: RSA from 2048 bits on, or ECDSA on P-256 or ' +
        'P-384, with SHA-256, 384 or 512, and exclusive canonicalisation. SHA-1 is refused.';
}

function signaturesIn(arrived: ArrivedResponse | undefined): string | undefined {
  const signatures = arrived?.signatures ?? [];
  if (signatures.length === 0) return 'no signature';
  return joined(
    signatures.map(({ of, method, certificate }) =>
      joined([of, method, certificate === undefined ? 'names no certificate' : `SHA-256 ${certificate}`], ' · '),
    ),
  );
}

function confirmationsIn(arrived: ArrivedResponse | undefined): string | undefined {
  const confirmations = arrived?.assertion?.confirmations ?? [];
  return joined(
    confirmations.map(({ recipient, notOnOrAfter, inResponseTo }) =>
      joined([recipient, notOnOrAfter && `until ${notOnOrAfter}`, inResponseTo]),
    ),
    '; ',
  );
}

const clockOf = ({ now }: SamlExpectation): string => new Date(now).toISOString();

/** What there is of some texts, each once. */
function joined(texts: readonly (string | undefined)[], by = ', '): string | undefined {
  const there = [...new Set(texts.filter((text) => text !== undefined && text !== ''))];
  return there.length === 0 ? undefined : there.join(by);
}
