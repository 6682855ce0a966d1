import type { Element } from '@xmldom/xmldom';
import { demand } from './demand.ts';
import { NS } from './namespaces.ts';
import { isElement } from './strict-xml.ts';
import { trimXml } from './xml-text.ts';

/** Whether an element has this name. */
export function isNamed(element: Element, namespace: string, local: string): boolean {
  return element.namespaceURI === namespace && element.localName === local;
}

/** The direct children that are elements. */
export function childElements(parent: Element): readonly Element[] {
  const children: Element[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) if (isElement(node)) children.push(node);
  return children;
}

/** The direct children of this name. */
export function childrenNamed(parent: Element, namespace: string, local: string): readonly Element[] {
  return childElements(parent).filter((child) => isNamed(child, namespace, local));
}

/** The direct child of this name, if there is one; there must not be several. */
export function optionalChild(parent: Element, namespace: string, local: string): Element | undefined {
  const children = childrenNamed(parent, namespace, local);
  demand(children.length <= 1, `several ${local} in ${parent.localName}`);
  return children[0];
}

/** The one direct child of this name. */
export function onlyChild(parent: Element, namespace: string, local: string): Element {
  const child = optionalChild(parent, namespace, local);
  demand(child !== undefined, `no ${local} in ${parent.localName}`);
  return child;
}

/** An attribute without namespace; undefined where it is absent. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.getAttributeNode(name)?.value;
}

/** The namespaces that an element declares, by the names of the attributes that do it. */
export function namespacesOn(element: Element): readonly (readonly [name: string, uri: string])[] {
  const attributes = Array.from({ length: element.attributes.length }, (_, index) => element.attributes.item(index));
  return attributes.flatMap((attribute) => (attribute?.namespaceURI === NS.xmlns ? [[attribute.name, attribute.value] as const] : []));
}

/** The text of an element, which must not have elements in it. */
export function textOf(element: Element): string {
  demand(childElements(element).length === 0, `elements in ${element.localName}`);
  return element.textContent ?? '';
}

/** The direct children that are elements; if there are any, only blanks may stand between them. */
export function partsOf(element: Element): readonly Element[] {
  const children = childElements(element);
  if (children.length === 0) return children;
  for (let node = element.firstChild; node; node = node.nextSibling) {
    demand(isElement(node) || trimXml(node.nodeValue ?? '') === '', `text between the parts of ${element.localName}`);
  }
  return children;
}

/** Blanks are removed first: a pattern that allowed for them would take quadratic time. */
const BLANKS = /[ \t\r\n]+/g;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The bytes in an element that holds base64, perhaps wrapped, and no elements. */
export function base64Of(element: Element): Buffer {
  const text = textOf(element).replace(BLANKS, '');
  demand(BASE64.test(text), 'a value that is not base64');
  return Buffer.from(text, 'base64');
}
