import type { Element } from '@xmldom/xmldom';
import { demand } from './demand.ts';
import { isElement } from './strict-xml.ts';

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

/** The text of an element, which must not have elements in it. */
export function textOf(element: Element): string {
  demand(childElements(element).length === 0, `elements in ${element.localName}`);
  return element.textContent ?? '';
}
