import type { Element } from '@xmldom/xmldom';
import { certificateSha256 } from './certificate-facts.ts';
import type { Checking } from './checking.ts';
import { attributeOf, childElements, childrenNamed, isNamed } from './elements.ts';
import { signingKeys } from './idp-keys.ts';
import { NS } from './namespaces.ts';
import type { SignedPart } from './response-shape.ts';
import type { ArrivedAssertion, ArrivedConfirmation, ArrivedResponse, ArrivedSignature, SamlQuestion, SamlReport } from './saml.ts';
import { decodePostedXml, isTooLong, trimXml } from './xml-text.ts';

/** Elements whose text makes a response what somebody could present; no `<` can stand in their tags. */
const SECRETS = /(<(?:[^\s<>/:]+:)?(?:SignatureValue|CipherValue)\b[^<>]*>)[^<]*/g;

/**
 * What was found out about a response while it was checked. Nothing is checked here, and nothing is demanded: elements
 * that are missing or stand there twice are shown as far as they go.
 */
export function reportOf(question: SamlQuestion, checking: Checking): SamlReport {
  const xml = isTooLong(question) ? undefined : decodePostedXml(question.samlResponse);
  return { outcomes: checking.outcomes, xml: xml?.replace(SECRETS, '$1…'), arrived: arrivedIn(question, checking) };
}

function arrivedIn({ expected }: SamlQuestion, { reached, signatures, isEncrypted, signer }: Checking): ArrivedResponse | undefined {
  if (!reached) return undefined;
  const { envelope, assertion, isProven } = reached;
  const status = childOf(envelope, NS.protocol, 'Status');
  const by = signer && expected?.certificates.find((certificate) => signingKeys([certificate]).some((key) => key.equals(signer)));
  return {
    isProven,
    isEncrypted,
    signatures: signatures.map(signatureOf),
    signedBy: by === undefined ? undefined : certificateSha256(by),
    status: status && statusOf(status),
    statusMessage: textIn(status, NS.protocol, 'StatusMessage'),
    issuer: textIn(envelope, NS.assertion, 'Issuer'),
    destination: attributeOf(envelope, 'Destination'),
    inResponseTo: attributeOf(envelope, 'InResponseTo'),
    issuedAt: attributeOf(envelope, 'IssueInstant'),
    assertion: assertion && assertionOf(assertion),
  };
}

/** The code, and the one within it that says more. */
function statusOf(status: Element): string | undefined {
  const code = childOf(status, NS.protocol, 'StatusCode');
  const codes = [code, childOf(code, NS.protocol, 'StatusCode')].map((element) => element && attributeOf(element, 'Value'));
  return codes.filter((value) => value !== undefined).join(', ') || undefined;
}

function assertionOf(assertion: Element): ArrivedAssertion {
  const subject = childOf(assertion, NS.assertion, 'Subject');
  const name = childOf(subject, NS.assertion, 'NameID');
  const conditions = childOf(assertion, NS.assertion, 'Conditions');
  const authentication = childOf(assertion, NS.assertion, 'AuthnStatement');
  return {
    issuer: textIn(assertion, NS.assertion, 'Issuer'),
    issuedAt: attributeOf(assertion, 'IssueInstant'),
    nameId: textIn(subject, NS.assertion, 'NameID'),
    nameIdFormat: name && attributeOf(name, 'Format'),
    confirmations: subject ? childrenNamed(subject, NS.assertion, 'SubjectConfirmation').map(confirmationOf) : [],
    notBefore: conditions && attributeOf(conditions, 'NotBefore'),
    notOnOrAfter: conditions && attributeOf(conditions, 'NotOnOrAfter'),
    audiences: conditions ? audiencesOf(conditions) : [],
    sessionNotOnOrAfter: authentication && attributeOf(authentication, 'SessionNotOnOrAfter'),
    attributes: attributesOf(assertion),
  };
}

function confirmationOf(confirmation: Element): ArrivedConfirmation {
  const data = childOf(confirmation, NS.assertion, 'SubjectConfirmationData');
  return {
    method: attributeOf(confirmation, 'Method'),
    recipient: data && attributeOf(data, 'Recipient'),
    inResponseTo: data && attributeOf(data, 'InResponseTo'),
    notOnOrAfter: data && attributeOf(data, 'NotOnOrAfter'),
  };
}

const audiencesOf = (conditions: Element): readonly string[] =>
  childrenNamed(conditions, NS.assertion, 'AudienceRestriction')
    .flatMap((restriction) => childrenNamed(restriction, NS.assertion, 'Audience'))
    .map(shownText);

const attributesOf = (assertion: Element): ArrivedAssertion['attributes'] =>
  childrenNamed(assertion, NS.assertion, 'AttributeStatement')
    .flatMap((statement) => childrenNamed(statement, NS.assertion, 'Attribute'))
    .map((attribute) => ({
      name: attributeOf(attribute, 'Name') ?? '',
      values: childrenNamed(attribute, NS.assertion, 'AttributeValue').map(shownText),
    }));

function signatureOf({ signature, element }: SignedPart): ArrivedSignature {
  const info = childOf(signature, NS.signature, 'SignedInfo');
  const reference = childOf(info, NS.signature, 'Reference');
  const [method, digest] = [childOf(info, NS.signature, 'SignatureMethod'), childOf(reference, NS.signature, 'DigestMethod')];
  const data = childOf(childOf(signature, NS.signature, 'KeyInfo'), NS.signature, 'X509Data');
  const certificate = textIn(data, NS.signature, 'X509Certificate');
  return {
    of: element.localName ?? '',
    method: method && attributeOf(method, 'Algorithm'),
    digest: digest && attributeOf(digest, 'Algorithm'),
    certificate: certificate === undefined ? undefined : certificateSha256(certificate),
  };
}

const childOf = (parent: Element | undefined, namespace: string, local: string): Element | undefined =>
  parent && childElements(parent).find((child) => isNamed(child, namespace, local));

function textIn(parent: Element | undefined, namespace: string, local: string): string | undefined {
  const child = childOf(parent, namespace, local);
  return child && shownText(child);
}

const shownText = (element: Element): string => trimXml(element.textContent ?? '');
