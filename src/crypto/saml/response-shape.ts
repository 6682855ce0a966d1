import type { Element, Node } from '@xmldom/xmldom';
import { demand } from './demand.ts';
import { attributeOf, isNamed, partsOf } from './elements.ts';
import { NS } from './namespaces.ts';

/** An element with its own signature. */
export interface SignedPart {
  readonly signature: Element;
  /** What that signature must sign: its parent. */
  readonly element: Element;
  readonly id: string;
}

/** A response of the one shape that is looked into. */
export interface ResponseShape {
  readonly response: Element;
  /** An Assertion or an EncryptedAssertion. */
  readonly assertion: Element;
  readonly isEncrypted: boolean;
  readonly byResponse: SignedPart | undefined;
  readonly byAssertion: SignedPart | undefined;
}

/** Also keeps quotes out of what xml-crypto asks its XPath engine. */
const ID = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;
const ASSERTIONS: ReadonlySet<string> = new Set(['Assertion', 'EncryptedAssertion']);
const ENCRYPTION: ReadonlySet<string> = new Set([NS.encryption, NS.encryption11]);

/**
 * Demands the one shape (contract 06 section 6.1 steps 5 and 6): a Response with one child assertion, encrypted or not;
 * on each of the two at most one signature, as a child; nothing of these names elsewhere or in another namespace.
 * @param elements all elements of the document, which `inspect` has seen
 */
export function shapeOf(elements: readonly Element[]): ResponseShape {
  const [response] = elements;
  demand(response !== undefined && isNamed(response, NS.protocol, 'Response'), 'the root is no Response');
  demand(called(elements, 'Response').length === 1, 'several Responses');
  const [assertion, ...others] = elements.filter(({ localName }) => ASSERTIONS.has(localName ?? ''));
  demand(assertion !== undefined, 'no Assertion');
  demand(others.length === 0, 'several Assertions');
  const { localName: kind, namespaceURI, parentNode } = assertion;
  demand(namespaceURI === NS.assertion && parentNode === response, 'an Assertion in a wrong place');
  const isEncrypted = kind === 'EncryptedAssertion';
  if (isEncrypted) inspectEncrypted(elements, assertion);
  else demandPlain(elements);
  const [byResponse, byAssertion] = signedParts(elements, isEncrypted ? [response] : [response, assertion]);
  return { response, assertion, isEncrypted, byResponse, byAssertion };
}

/** The same for a decrypted assertion. @param elements of the document, with the element around it as root */
export function shapeOfDecrypted(elements: readonly Element[]): { readonly assertion: Element; readonly signed: SignedPart | undefined } {
  const [surroundings] = elements;
  demand(surroundings !== undefined, 'no Assertion');
  const [assertion, ...others] = partsOf(surroundings);
  demand(assertion !== undefined && others.length === 0 && isNamed(assertion, NS.assertion, 'Assertion'), 'something else was encrypted');
  demand(called(elements, 'Assertion').length === 1 && called(elements, 'Response').length === 0, 'several Assertions');
  demandPlain(elements);
  const [signed] = signedParts(elements, [assertion]);
  return { assertion, signed };
}

const called = (elements: readonly Element[], local: string): readonly Element[] => elements.filter(({ localName }) => localName === local);

/** The signatures of these parents; there are no others. */
function signedParts(elements: readonly Element[], parents: readonly Element[]): readonly (SignedPart | undefined)[] {
  const signatures = called(elements, 'Signature');
  for (const signature of signatures) demand(isNamed(signature, NS.signature, 'Signature'), 'a Signature of a foreign kind');
  demand(called(elements, 'SignedInfo').length === signatures.length, 'a SignedInfo in a wrong place');
  demand(!elements.some((element) => isNamed(element, NS.signature, 'Object')), 'an Object in a Signature');
  const parts = parents.map((element): SignedPart | undefined => {
    const [signature, ...more] = signatures.filter(({ parentNode }) => parentNode === element);
    demand(more.length === 0, 'several Signatures in one place');
    if (!signature) return undefined;
    const id = attributeOf(element, 'ID') ?? '';
    demand(ID.test(id), 'an ID that is none');
    return { signature, element, id };
  });
  demand(parts.filter((part) => part !== undefined).length === signatures.length, 'a Signature in a wrong place');
  return parts;
}

const isOfEncryption = ({ namespaceURI, localName }: Element): boolean =>
  ENCRYPTION.has(namespaceURI ?? '') || /^Encrypted(?:Assertion|ID|Attribute|Data|Key)$/.test(localName ?? '');

/** Encrypted names and attributes are not supported (contract 06 section 6.5). */
function demandPlain(elements: readonly Element[]): void {
  for (const [local, reason] of ENCRYPTED_PARTS) demand(called(elements, local).length === 0, reason);
  demand(!elements.some(isOfEncryption), 'encrypted parts in a wrong place');
}

const ENCRYPTED_PARTS = [
  ['EncryptedID', 'EncryptedID is not supported'],
  ['EncryptedAttribute', 'EncryptedAttribute is not supported'],
] as const;

/** Elements of encryption stand only in the EncryptedAssertion, with one content and one key. */
function inspectEncrypted(elements: readonly Element[], encrypted: Element): void {
  demandPlain(elements.filter((element) => !isWithin(element, encrypted)));
  for (const local of ['EncryptedData', 'EncryptedKey']) demand(called(elements, local).length === 1, `not one ${local}`);
}

/** Bounded by the depth that `inspect` allows. */
function isWithin(element: Element, whole: Element): boolean {
  for (let node: Node | null = element; node; node = node.parentNode) if (node === whole) return true;
  return false;
}
