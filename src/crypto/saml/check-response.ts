import type { Document, Element } from '@xmldom/xmldom';
import type { KeyObject } from 'node:crypto';
import { LIMITS } from '../../config/limits.ts';
import { readClaims } from './claims.ts';
import { decryptAssertion } from './decrypt-assertion.ts';
import { attempt, demand } from './demand.ts';
import { attributeOf, childrenNamed, isNamed, namespacesOn } from './elements.ts';
import { signingKeys } from './idp-keys.ts';
import { NS } from './namespaces.ts';
import { type ResponseShape, type SignedPart, shapeOf, shapeOfDecrypted } from './response-shape.ts';
import type { SamlAnswer, SamlExpectation, SamlIdentity, SamlQuestion } from './saml.ts';
import { inspectSignature } from './signature-shape.ts';
import { signedBytes } from './signed-bytes.ts';
import { checkStatements, type ProvenResponse } from './statements.ts';
import { inspect, parseXml } from './strict-xml.ts';
import { countAttributes, decodePostedXml, escapeAttribute, isTooLong, readXmlText, trimXml, type XmlText } from './xml-text.ts';

const LIMITS_OF_RESPONSE = { depth: LIMITS.xmlDepth, nodes: LIMITS.samlResponseNodes, prefixes: LIMITS.xmlPrefixes };
const MALFORMED = { status: 'MALFORMED' } as const;

/**
 * Checks a SAML response (contract 06 section 6.1). The received document serves to find the signature and to refuse
 * what is odd; every answer is read from a second parse, of the bytes that were signed.
 */
export function checkResponse(question: SamlQuestion): SamlAnswer {
  const { samlResponse, expected } = question;
  if (isTooLong(question)) return MALFORMED;
  const xml = decodePostedXml(samlResponse);
  const read = xml === undefined ? undefined : readXmlText(xml);
  const document = read && parseXml(read.text);
  const root = document?.documentElement;
  if (!read || !document || !root || !isNamed(root, NS.protocol, 'Response')) return MALFORMED;
  if (!expected) return readable(root);
  const attempted = attempt(() => identify(read, document, expected));
  return 'result' in attempted ? attempted.result : { status: 'REFUSED', reason: attempted.reason };
}

function readable(response: Element): SamlAnswer {
  const [issuer] = childrenNamed(response, NS.assertion, 'Issuer');
  const text = trimXml(issuer?.textContent ?? '');
  const answersRequest = attributeOf(response, 'InResponseTo') !== undefined;
  return { status: 'READABLE', issuer: text === '' ? undefined : text, answersRequest };
}

function identify(received: XmlText, document: Document, expected: SamlExpectation): SamlIdentity {
  const proven = prove(received.text, shapeOf(inspectPlain(received, document)), expected);
  const keepUntil = checkStatements(proven, expected);
  const { assertion } = proven;
  const assertionId = attributeOf(assertion, 'ID') ?? '';
  demand(assertionId !== '', 'an Assertion without ID');
  return { status: 'OK', assertionId, issuer: trimXml(expected.idpEntityId), keepUntil, claims: readClaims(assertion) };
}

/** The signature of the Response counts if there is one, and comes first: only what it covers is decrypted then. */
function prove(text: string, received: ResponseShape, expected: SamlExpectation): ProvenResponse {
  const keys = signingKeys(expected.certificates);
  const { byResponse } = received;
  const { response: envelope, ...shape } = byResponse ? shapeOf(provenElements(text, byResponse, keys)) : received;
  const envelopeIsProven = byResponse !== undefined;
  if (shape.isEncrypted) return { envelope, envelopeIsProven, assertion: decrypted(shape.assertion, envelopeIsProven, expected, keys) };
  const assertion = envelopeIsProven ? shape.assertion : provenAssertion(text, shape.byAssertion, keys);
  return { envelope, envelopeIsProven, assertion };
}

/** The assertion's own signature is checked where there is one; there must be one unless the ciphertext was signed. */
function decrypted(encrypted: Element, isProven: boolean, expected: SamlExpectation, keys: readonly KeyObject[]): Element {
  const content = decryptAssertion(encrypted, { keys: expected.decryptionKeys, allowsCbc: expected.allowsCbc && isProven });
  const text = inSurroundings(content, encrypted);
  const { assertion, signed } = shapeOfDecrypted(parsePlain(text, 'an encrypted text that is no XML'));
  return signed || !isProven ? provenAssertion(text, signed, keys) : assertion;
}

/**
 * A decrypted text as a document: in an element that declares the prefixes in scope where it stood, as some identity
 * providers need (XML Encryption 1.1 section 4.4). A text that closed that element would leave two roots: no document.
 */
function inSurroundings(content: string, encrypted: Element): string {
  const read = readXmlText(content);
  demand(read !== undefined, 'an encrypted text that is no XML');
  const declared = new Map<string, string>();
  for (let element: Element | null = encrypted; element; element = element.parentElement) {
    for (const [name, value] of namespacesOn(element)) if (!declared.has(name)) declared.set(name, value);
  }
  const declarations = Array.from(declared, ([name, value]) => ` ${name}="${escapeAttribute(value)}"`);
  return `<surroundings${declarations.join('')}>${read.text}</surroundings>`;
}

function provenAssertion(text: string, signed: SignedPart | undefined, keys: readonly KeyObject[]): Element {
  demand(signed !== undefined, 'unsigned');
  const [assertion] = provenElements(text, signed, keys);
  demand(assertion !== undefined, 'something else is signed');
  return assertion;
}

/** Parses the signed bytes as strictly as what was received; they must be the element that carries the signature. */
function provenElements(text: string, { signature, element, id }: SignedPart, keys: readonly KeyObject[]): readonly Element[] {
  inspectSignature(signature, id);
  const elements = parsePlain(signedBytes(text, signature, keys), 'signed bytes that are no XML');
  const [root] = elements;
  demand(root !== undefined && isNamed(root, element.namespaceURI ?? '', element.localName ?? ''), 'something else is signed');
  demand(attributeOf(root, 'ID') === id, 'something else is signed');
  return elements;
}

function parsePlain(xml: string, otherwise: string): readonly Element[] {
  const read = readXmlText(xml);
  const document = read && parseXml(read.text);
  demand(read !== undefined && document !== undefined, otherwise);
  return inspectPlain(read, document);
}

function inspectPlain({ text, hasComments, hasOtherMarkup }: XmlText, document: Document): readonly Element[] {
  demand(!hasComments && !hasOtherMarkup, 'comments, CDATA or processing instructions');
  const elements = inspect(document, LIMITS_OF_RESPONSE);
  const attributes = elements.reduce((sum, element) => sum + element.attributes.length, 0);
  demand(attributes === countAttributes(text), 'an attribute twice');
  return elements;
}
