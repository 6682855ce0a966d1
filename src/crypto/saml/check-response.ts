import type { Document, Element } from '@xmldom/xmldom';
import type { KeyObject } from 'node:crypto';
import { LIMITS } from '../../config/limits.ts';
import { Checking } from './checking.ts';
import { readClaims } from './claims.ts';
import { decryptAssertion } from './decrypt-assertion.ts';
import { attempt, demand } from './demand.ts';
import { attributeOf, childrenNamed, isNamed, namespacesOn } from './elements.ts';
import { signingKeys } from './idp-keys.ts';
import { NS } from './namespaces.ts';
import { type ResponseShape, type SignedPart, shapeOf, shapeOfDecrypted } from './response-shape.ts';
import { reportOf } from './report.ts';
import type { SamlAnswer, SamlExpectation, SamlIdentity, SamlQuestion, SamlVerdict } from './saml.ts';
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
  const checking = new Checking();
  const verdict = judge(question, checking);
  return question.explains === true ? { ...verdict, report: reportOf(question, checking) } : verdict;
}

function judge(question: SamlQuestion, checking: Checking): SamlVerdict {
  const read = attempt(() => checking.run('response', () => readResponse(question)));
  if ('reason' in read) return MALFORMED;
  const { text, document, root } = read.result;
  checking.reached = { envelope: root, assertion: undefined, isProven: false };
  const { expected } = question;
  if (!expected) return readable(root);
  const attempted = attempt(() => identify(text, document, expected, checking));
  return 'result' in attempted ? attempted.result : { status: 'REFUSED', reason: attempted.reason };
}

function readResponse(question: SamlQuestion): { readonly text: XmlText; readonly document: Document; readonly root: Element } {
  demand(!isTooLong(question), 'too long');
  const xml = decodePostedXml(question.samlResponse);
  demand(xml !== undefined, 'no base64 of a text in UTF-8');
  const text = readXmlText(xml);
  const document = text && parseXml(text.text);
  const root = document?.documentElement ?? undefined;
  demand(text !== undefined && document !== undefined && root !== undefined, 'no XML, or XML with a document type or entities');
  demand(isNamed(root, NS.protocol, 'Response'), 'the root is no Response');
  return { text, document, root };
}

function readable(response: Element): SamlVerdict {
  const [issuer] = childrenNamed(response, NS.assertion, 'Issuer');
  const text = trimXml(issuer?.textContent ?? '');
  return { status: 'READABLE', issuer: text === '' ? undefined : text, inResponseTo: attributeOf(response, 'InResponseTo') };
}

function identify(received: XmlText, document: Document, expected: SamlExpectation, checking: Checking): SamlIdentity {
  const shape = checking.run('form', () => shapeOf(inspectPlain(received, document)));
  const proven = prove(received.text, shape, expected, checking);
  const { envelope, assertion } = proven;
  checking.reached = { envelope, assertion, isProven: true };
  const keepUntil = checkStatements(proven, expected, checking);
  return checking.run('name', () => {
    const assertionId = attributeOf(assertion, 'ID') ?? '';
    demand(assertionId !== '', 'an Assertion without ID');
    return { status: 'OK', assertionId, issuer: trimXml(expected.idpEntityId), keepUntil, claims: readClaims(assertion) };
  });
}

/** The signature of the Response counts if there is one, and comes first: only what it covers is decrypted then. */
function prove(text: string, received: ResponseShape, expected: SamlExpectation, checking: Checking): ProvenResponse {
  const keys = signingKeys(expected.certificates);
  checking.isEncrypted = received.isEncrypted;
  checking.reached = { envelope: received.response, assertion: received.isEncrypted ? undefined : received.assertion, isProven: false };
  const { byResponse } = received;
  const { response: envelope, ...shape } = byResponse
    ? checking.run('signature', () => shapeOf(provenElements(text, byResponse, keys, checking)))
    : received;
  const envelopeIsProven = byResponse !== undefined;
  if (shape.isEncrypted) {
    return {
      envelope,
      envelopeIsProven,
      assertion: decrypted(shape.assertion, { envelope, envelopeIsProven }, { expected, keys, checking }),
    };
  }
  const assertion = envelopeIsProven ? shape.assertion : provenAssertion(text, shape.byAssertion, keys, checking);
  return { envelope, envelopeIsProven, assertion };
}

/** What the content of an encrypted assertion is checked with. */
interface Reading {
  readonly expected: SamlExpectation;
  readonly keys: readonly KeyObject[];
  readonly checking: Checking;
}

/** The assertion's own signature is checked where there is one; there must be one unless the ciphertext was signed. */
function decrypted(encrypted: Element, around: Omit<ProvenResponse, 'assertion'>, { expected, keys, checking }: Reading): Element {
  const { envelope, envelopeIsProven: isProven } = around;
  const { text, assertion, signed } = checking.run('decryption', () => {
    const content = decryptAssertion(encrypted, { keys: expected.decryptionKeys, allowsCbc: expected.allowsCbc && isProven });
    const document = inSurroundings(content, encrypted);
    return { text: document, ...shapeOfDecrypted(parsePlain(document, 'an encrypted text that is no XML')) };
  });
  checking.reached = { envelope, assertion, isProven };
  return signed || !isProven ? provenAssertion(text, signed, keys, checking) : assertion;
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

function provenAssertion(text: string, signed: SignedPart | undefined, keys: readonly KeyObject[], checking: Checking): Element {
  return checking.run('signature', () => {
    demand(signed !== undefined, 'unsigned');
    const [assertion] = provenElements(text, signed, keys, checking);
    demand(assertion !== undefined, 'something else is signed');
    return assertion;
  });
}

/** Parses the signed bytes as strictly as what was received; they must be the element that carries the signature. */
function provenElements(text: string, part: SignedPart, keys: readonly KeyObject[], checking: Checking): readonly Element[] {
  const { signature, element, id } = part;
  checking.signatures.push(part);
  inspectSignature(signature, id);
  const { bytes, by } = signedBytes(text, signature, keys);
  const elements = parsePlain(bytes, 'signed bytes that are no XML');
  const [root] = elements;
  demand(root !== undefined && isNamed(root, element.namespaceURI ?? '', element.localName ?? ''), 'something else is signed');
  demand(attributeOf(root, 'ID') === id, 'something else is signed');
  checking.signer = by;
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
