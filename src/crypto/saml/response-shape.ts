import type { Element } from '@xmldom/xmldom';
import { LIMITS } from '../../config/limits.ts';
import { demand } from './demand.ts';
import { attributeOf, childElements, isNamed } from './elements.ts';
import { ENVELOPED, NS } from './namespaces.ts';
import { SIGNATURE_METHODS, DIGEST_METHODS } from './signature-methods.ts';
import { trimXml } from './xml-text.ts';

/** A response of the one shape that is looked into. */
export interface ResponseShape {
  readonly response: Element;
  readonly assertion: Element;
  /** The signature that counts: the response's if it has one, else the assertion's. */
  readonly signature: Element;
  /** What that signature must sign: its parent. */
  readonly signed: Element;
  readonly signedId: string;
}

/** Also keeps quotes out of what xml-crypto asks its XPath engine. */
const ID = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;
const BASE64_TEXT = /^[A-Za-z0-9+/ \t\r\n]+={0,2}[ \t\r\n]*$/;

/**
 * Demands the one shape (contract 06 section 6.1 steps 5 and 6): one Response with one Assertion as its child, signatures only as
 * children of these two, one at most of each, and nothing of these names anywhere else or in another namespace.
 * @param elements all elements of the received document, which `inspect` has seen
 */
export function shapeOf(elements: readonly Element[]): ResponseShape {
  const [response] = elements;
  demand(response !== undefined && isNamed(response, NS.protocol, 'Response'), 'the root is no Response');
  const called = (local: string): readonly Element[] => elements.filter((element) => element.localName === local);
  demand(called('Response').length === 1, 'several Responses');
  const [assertion, ...others] = called('Assertion');
  demand(assertion !== undefined, 'no Assertion');
  demand(others.length === 0, 'several Assertions');
  demand(isNamed(assertion, NS.assertion, 'Assertion') && assertion.parentNode === response, 'an Assertion in a wrong place');
  const signatures = called('Signature');
  demand(signatures.length > 0, 'unsigned');
  const of = (parent: Element): readonly Element[] => signatures.filter((signature) => signature.parentNode === parent);
  const [byResponse, byAssertion] = [of(response), of(assertion)];
  demand(byResponse.length <= 1 && byAssertion.length <= 1, 'several Signatures in one place');
  demand(byResponse.length + byAssertion.length === signatures.length, 'a Signature in a wrong place');
  for (const signature of signatures) demand(isNamed(signature, NS.signature, 'Signature'), 'a Signature of a foreign kind');
  demand(called('SignedInfo').length === signatures.length, 'a SignedInfo in a wrong place');
  demand(!elements.some((element) => isNamed(element, NS.signature, 'Object')), 'an Object in a Signature');
  const signature = byResponse[0] ?? byAssertion[0];
  demand(signature !== undefined, 'unsigned');
  const signed = byResponse.length > 0 ? response : assertion;
  const signedId = attributeOf(signed, 'ID') ?? '';
  demand(ID.test(signedId), 'an ID that is none');
  inspectSignature(signature, `#${signedId}`);
  return { response, assertion, signature, signed, signedId };
}

/** The parts of a signature with its algorithms (contract 06 section 6.1 steps 6 to 8). Allowed is what is named, and nothing else. */
function inspectSignature(signature: Element, uri: string): void {
  const [info, value, keyInfo, ...more] = parts(signature);
  demand(isPart(info, 'SignedInfo') && isPart(value, 'SignatureValue'), 'a Signature without its parts');
  demand(keyInfo === undefined || isPart(keyInfo, 'KeyInfo'), 'foreign parts in a Signature');
  const [method, algorithm, reference, ...references] = parts(info);
  demand(
    isPart(method, 'CanonicalizationMethod') && isPart(algorithm, 'SignatureMethod') && isPart(reference, 'Reference'),
    'a SignedInfo without its parts',
  );
  demand(references.length === 0, 'several References');
  const [transforms, digest, digestValue, ...others] = parts(reference);
  demand(
    isPart(transforms, 'Transforms') && isPart(digest, 'DigestMethod') && isPart(digestValue, 'DigestValue'),
    'a Reference without its parts',
  );
  demand(more.length === 0 && others.length === 0, 'foreign parts in a Signature');
  demand(attributeOf(reference, 'URI') === uri, 'a Reference to something else');
  demand(attributeOf(method, 'Algorithm') === NS.exclusiveC14n, 'a canonicalisation that is not accepted');
  demandPrefixListOnly(method);
  demand(SIGNATURE_METHODS.has(attributeOf(algorithm, 'Algorithm') ?? ''), 'a signature method that is not accepted');
  demand(DIGEST_METHODS.has(attributeOf(digest, 'Algorithm') ?? ''), 'a digest method that is not accepted');
  demand(parts(algorithm).length === 0 && parts(digest).length === 0, 'parameters of an algorithm');
  inspectTransforms(transforms);
  for (const part of [value, digestValue]) {
    demand(childElements(part).length === 0 && BASE64_TEXT.test(part.textContent ?? ''), 'a value that is not base64');
  }
}

function inspectTransforms(transforms: Element): void {
  const [enveloped, canonical, ...more] = parts(transforms);
  demand(isPart(enveloped, 'Transform') && isPart(canonical, 'Transform') && more.length === 0, 'transforms that are not accepted');
  demand(attributeOf(enveloped, 'Algorithm') === ENVELOPED, 'transforms that are not accepted');
  demand(attributeOf(canonical, 'Algorithm') === NS.exclusiveC14n, 'transforms that are not accepted');
  // Identity providers on Node write the list to both, in the namespace of the transform; it means nothing here.
  demandPrefixListOnly(enveloped, ENVELOPED);
  demandPrefixListOnly(canonical);
}

/** Exclusive canonicalisation has one parameter. */
function demandPrefixListOnly(element: Element, namespace: string = NS.exclusiveC14n): void {
  const [list, ...more] = parts(element);
  const holds = list === undefined || (isNamed(list, namespace, 'InclusiveNamespaces') && parts(list).length === 0);
  demand(holds && more.length === 0, 'parameters of a canonicalisation');
  const prefixes = (list && attributeOf(list, 'PrefixList')) ?? '';
  demand(prefixes.length <= LIMITS.xmlPrefixListChars, 'a list of prefixes that is too long');
}

/** The child elements, between which only blanks may stand unless there are none. */
function parts(element: Element): readonly Element[] {
  const children = childElements(element);
  if (children.length === 0) return children;
  for (let node = element.firstChild; node; node = node.nextSibling) {
    demand(node.nodeType === 1 || trimXml(node.nodeValue ?? '') === '', 'text between the parts of a Signature');
  }
  return children;
}

function isPart(element: Element | undefined, local: string): element is Element {
  return element !== undefined && isNamed(element, NS.signature, local);
}
