import type { Element } from '@xmldom/xmldom';
import { LIMITS } from '../../config/limits.ts';
import { demand } from './demand.ts';
import { attributeOf, base64Of, isNamed, partsOf } from './elements.ts';
import { ENVELOPED, NS } from './namespaces.ts';
import { DIGEST_METHODS, SIGNATURE_METHODS } from './signature-methods.ts';

/** Demands a signature over the element of that id, of listed parts only (contract 06 section 6.1 steps 6 to 8). */
export function inspectSignature(signature: Element, id: string): void {
  const [info, value, keyInfo, ...more] = partsOf(signature);
  demand(isPart(info, 'SignedInfo') && isPart(value, 'SignatureValue'), 'a Signature without its parts');
  demand(keyInfo === undefined || isPart(keyInfo, 'KeyInfo'), 'foreign parts in a Signature');
  const [method, algorithm, reference, ...references] = partsOf(info);
  demand(
    isPart(method, 'CanonicalizationMethod') && isPart(algorithm, 'SignatureMethod') && isPart(reference, 'Reference'),
    'a SignedInfo without its parts',
  );
  demand(references.length === 0, 'several References');
  const [transforms, digest, digestValue, ...others] = partsOf(reference);
  demand(
    isPart(transforms, 'Transforms') && isPart(digest, 'DigestMethod') && isPart(digestValue, 'DigestValue'),
    'a Reference without its parts',
  );
  demand(more.length === 0 && others.length === 0, 'foreign parts in a Signature');
  demand(attributeOf(reference, 'URI') === `#${id}`, 'a Reference to something else');
  demand(attributeOf(method, 'Algorithm') === NS.exclusiveC14n, 'a canonicalisation that is not accepted');
  demandPrefixListOnly(method);
  demand(SIGNATURE_METHODS.has(attributeOf(algorithm, 'Algorithm') ?? ''), 'a signature method that is not accepted');
  demand(DIGEST_METHODS.has(attributeOf(digest, 'Algorithm') ?? ''), 'a digest method that is not accepted');
  demand(partsOf(algorithm).length === 0 && partsOf(digest).length === 0, 'parameters of an algorithm');
  inspectTransforms(transforms);
  for (const part of [value, digestValue]) base64Of(part);
}

function inspectTransforms(transforms: Element): void {
  const [enveloped, canonical, ...more] = partsOf(transforms);
  demand(isPart(enveloped, 'Transform') && isPart(canonical, 'Transform') && more.length === 0, 'transforms that are not accepted');
  demand(attributeOf(enveloped, 'Algorithm') === ENVELOPED, 'transforms that are not accepted');
  demand(attributeOf(canonical, 'Algorithm') === NS.exclusiveC14n, 'transforms that are not accepted');
  // Identity providers on Node write the list to both, in the namespace of the transform; it means nothing here.
  demandPrefixListOnly(enveloped, ENVELOPED);
  demandPrefixListOnly(canonical);
}

/** Exclusive canonicalisation has one parameter. */
function demandPrefixListOnly(element: Element, namespace: string = NS.exclusiveC14n): void {
  const [list, ...more] = partsOf(element);
  const holds = list === undefined || (isNamed(list, namespace, 'InclusiveNamespaces') && partsOf(list).length === 0);
  demand(holds && more.length === 0, 'parameters of a canonicalisation');
  const prefixes = (list && attributeOf(list, 'PrefixList')) ?? '';
  demand(prefixes.length <= LIMITS.xmlPrefixListChars, 'a list of prefixes that is too long');
}

function isPart(element: Element | undefined, local: string): element is Element {
  return element !== undefined && isNamed(element, NS.signature, local);
}
