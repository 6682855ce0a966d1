import type { Document, Element } from '@xmldom/xmldom';
import { LIMITS } from '../../config/limits.ts';
import { readClaims } from './claims.ts';
import { attempt, demand } from './demand.ts';
import { attributeOf, childrenNamed, isNamed } from './elements.ts';
import { signingKeys } from './idp-keys.ts';
import { NS } from './namespaces.ts';
import { type ResponseShape, shapeOf } from './response-shape.ts';
import type { SamlAnswer, SamlExpectation, SamlIdentity, SamlQuestion } from './saml.ts';
import { signedBytes } from './signed-bytes.ts';
import { checkStatements, type ProvenResponse } from './statements.ts';
import { inspect, parseXml } from './strict-xml.ts';
import { countAttributes, decodePostedXml, isTooLong, readXmlText, trimXml, type XmlText } from './xml-text.ts';

const LIMITS_OF_RESPONSE = { depth: LIMITS.xmlDepth, nodes: LIMITS.samlResponseNodes, prefixes: LIMITS.xmlPrefixes };
const MALFORMED = { status: 'MALFORMED' } as const;

/**
 * Checks a SAML response (contract 06 section 6.1). The received document serves to find the signature and to refuse what is odd;
 * everything that is answered is read from a second parse, of the bytes that were signed.
 */
export function checkResponse(question: SamlQuestion): SamlAnswer {
  const { samlResponse, expected } = question;
  if (isTooLong(question)) return MALFORMED;
  const xml = decodePostedXml(samlResponse);
  const read = xml === undefined ? undefined : readXmlText(xml);
  const document = read && parseXml(read.text);
  const root = document?.documentElement;
  if (!read || !document || !root || !isNamed(root, NS.protocol, 'Response')) return MALFORMED;
  if (!expected)
    return { status: 'READABLE', issuer: unprovenIssuer(root), answersRequest: attributeOf(root, 'InResponseTo') !== undefined };
  const attempted = attempt(() => identify(read, document, expected));
  return 'result' in attempted ? attempted.result : { status: 'REFUSED', reason: attempted.reason };
}

function unprovenIssuer(response: Element): string | undefined {
  const [issuer] = childrenNamed(response, NS.assertion, 'Issuer');
  const text = trimXml(issuer?.textContent ?? '');
  return text === '' ? undefined : text;
}

function identify(received: XmlText, document: Document, expected: SamlExpectation): SamlIdentity {
  const shape = shapeOf(inspectPlain(received, document));
  const bytes = signedBytes(received.text, shape.signature, signingKeys(expected.certificates));
  const proven = readProven(bytes, shape);
  const keepUntil = checkStatements(proven, expected);
  const { assertion } = proven;
  const assertionId = attributeOf(assertion, 'ID') ?? '';
  demand(assertionId !== '', 'an Assertion without ID');
  return { status: 'OK', assertionId, issuer: trimXml(expected.idpEntityId), keepUntil, claims: readClaims(assertion) };
}

function inspectPlain({ text, hasComments, hasOtherMarkup }: XmlText, document: Document): readonly Element[] {
  demand(!hasComments && !hasOtherMarkup, 'comments, CDATA or processing instructions');
  const elements = inspect(document, LIMITS_OF_RESPONSE);
  const attributes = elements.reduce((sum, element) => sum + element.attributes.length, 0);
  demand(attributes === countAttributes(text), 'an attribute twice');
  return elements;
}

/** Parses the signed bytes as strictly as what was received: they must be the very element that carries the signature. */
function readProven(bytes: string, { response, signed, signedId }: ResponseShape): ProvenResponse {
  const text = readXmlText(bytes);
  demand(text !== undefined, 'signed bytes that are no XML');
  const document = parseXml(text.text);
  demand(document !== undefined, 'signed bytes that are no XML');
  const [root, ...others] = inspectPlain(text, document);
  demand(root !== undefined && isNamed(root, signed.namespaceURI ?? '', signed.localName ?? ''), 'something else is signed');
  demand(attributeOf(root, 'ID') === signedId, 'something else is signed');
  if (signed !== response) return { envelope: response, envelopeIsProven: false, assertion: root };
  const assertions = others.filter((element) => isNamed(element, NS.assertion, 'Assertion'));
  const [assertion] = assertions;
  demand(assertion !== undefined && assertions.length === 1 && assertion.parentNode === root, 'not one Assertion is signed');
  return { envelope: root, envelopeIsProven: true, assertion };
}
