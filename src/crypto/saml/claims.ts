import type { Element } from '@xmldom/xmldom';
import { demand } from './demand.ts';
import { attributeOf, childrenNamed, onlyChild, optionalChild, textOf } from './elements.ts';
import { NS } from './namespaces.ts';
import { trimXml } from './xml-text.ts';

const NAME_ID = 'NameID';
const NAME_ID_FORMAT = 'NameIDFormat';
/** Longer ones are no names; the longest known formats stay below 256. */
const LONGEST_NAME_ID = 1024;
/** By any of these a name could end early elsewhere. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * What a proven assertion says about its subject (contract 06 section 2.5): attributes by name, with the values
 * of all attributes of a name in their order (contract 00, SAML); the subject's name by itself.
 */
export function readClaims(assertion: Element): Record<string, readonly string[]> {
  const claims = new Map<string, string[]>();
  for (const statement of childrenNamed(assertion, NS.assertion, 'AttributeStatement')) {
    for (const attribute of childrenNamed(statement, NS.assertion, 'Attribute')) {
      const name = attributeOf(attribute, 'Name');
      const values = childrenNamed(attribute, NS.assertion, 'AttributeValue')
        .map((value) => trimXml(value.textContent ?? ''))
        .filter((value) => value !== '');
      if (name === undefined || name === NAME_ID || name === NAME_ID_FORMAT || values.length === 0) continue;
      const earlier = claims.get(name);
      if (earlier) earlier.push(...values);
      else claims.set(name, values);
    }
  }
  // `fromEntries` defines its members: a claim named `__proto__` stays a claim.
  return Object.fromEntries([...nameClaims(assertion), ...claims]);
}

function nameClaims(assertion: Element): readonly (readonly [string, readonly string[]])[] {
  const element = optionalChild(onlyChild(assertion, NS.assertion, 'Subject'), NS.assertion, NAME_ID);
  if (!element) return [];
  const name = trimXml(textOf(element));
  demand(name.length <= LONGEST_NAME_ID && !CONTROL_CHARACTER.test(name), 'a NameID that is none');
  if (name === '') return [];
  const format = attributeOf(element, 'Format');
  return [[NAME_ID, [name]], ...(format === undefined ? [] : [[NAME_ID_FORMAT, [format]] as const])];
}
