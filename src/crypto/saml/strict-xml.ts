import { type Attr, type Document, DOMParser, type Element, type Node, onWarningStopParsing } from '@xmldom/xmldom';
import { demand } from './demand.ts';
import { NS } from './namespaces.ts';

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;
const COMMENT_NODE = 8;

/** How much structure a document may have. */
export interface XmlLimits {
  readonly depth: number;
  /** Elements, texts and attributes together. */
  readonly nodes: number;
  /** Different namespace prefixes that are declared. */
  readonly prefixes: number;
}

/** Parses a text that `readXmlText` let through; undefined where it is not well-formed XML with namespaces. */
export function parseXml(text: string): Document | undefined {
  try {
    const parser = new DOMParser({
      onError: onWarningStopParsing,
      locator: false,
      normalizeLineEndings: (xml) => xml.replace(/\r\n?/g, '\n'),
    });
    const document = parser.parseFromString(text, 'text/xml');
    return document.documentElement === null ? undefined : document;
  } catch {
    // Whatever the parser dislikes: the text came from outside.
    return undefined;
  }
}

/**
 * Walks through a document and demands that all libraries understand it alike (contract 06 section 6.1 step 4):
 * bounded, only elements and text, namespaces by the rules, no id twice; metadata may have comments. Iterative, since
 * depth is what it bounds.
 * @returns all elements, in document order
 */
export function inspect(document: Document, limits: XmlLimits, kind: 'response' | 'metadata' = 'response'): readonly Element[] {
  const elements: Element[] = [];
  const seen: Seen = { ids: new Set(), prefixes: new Set() };
  const root = document.documentElement;
  demand(root !== null, 'no root element');
  let nodes = 0;
  let depth = 1;
  let next: Node | null = document.firstChild;
  while (next) {
    const node: Node = next;
    nodes += 1;
    if (isElement(node)) {
      elements.push(node);
      nodes += node.attributes.length;
      demand(nodes <= limits.nodes, 'too many nodes');
      inspectAttributes(node, seen);
      demand(seen.prefixes.size <= limits.prefixes, 'too many namespace prefixes');
    } else
      demand(node.nodeType === TEXT_NODE || (node.nodeType === COMMENT_NODE && kind === 'metadata'), 'nodes other than elements and text');
    next = node.firstChild;
    if (next) {
      depth += 1;
      demand(depth <= limits.depth, 'nested too deeply');
      continue;
    }
    let last: Node | null = node;
    while (last && !last.nextSibling) {
      last = last.parentNode;
      depth -= 1;
    }
    next = last?.nextSibling ?? null;
  }
  demand(nodes <= limits.nodes, 'too many nodes');
  return elements;
}

/** Whether a node is an element. */
export function isElement(node: Node): node is Element {
  return node.nodeType === ELEMENT_NODE;
}

/** What a document has so far. */
interface Seen {
  readonly ids: Set<string>;
  readonly prefixes: Set<string>;
}

function inspectAttributes(element: Element, { ids, prefixes }: Seen): void {
  const names = new Set<string>();
  for (let index = 0; index < element.attributes.length; index += 1) {
    const attribute = element.attributes.item(index);
    demand(attribute !== null, 'an attribute is missing');
    const local = attribute.localName ?? attribute.name;
    const name = `${attribute.namespaceURI ?? ''} ${local}`;
    demand(!names.has(name), 'an attribute twice');
    names.add(name);
    if (attribute.namespaceURI === NS.xmlns || /^xmlns(?::|$)/.test(attribute.name)) {
      inspectDeclaration(attribute);
      prefixes.add(attribute.name);
    } else if (local.toLowerCase() === 'id') {
      demand(!ids.has(attribute.value), 'an id twice');
      ids.add(attribute.value);
    }
  }
}

/** Namespaces in XML 1.0, section 3. Relative names are refused: canonicalisation is not defined for them. */
function inspectDeclaration({ name, value }: Attr): void {
  const prefix = name === 'xmlns' ? '' : name.slice('xmlns:'.length);
  demand(prefix !== 'xml' && prefix !== 'xmlns', 'a reserved prefix is declared');
  demand(value !== NS.xml && value !== NS.xmlns, 'a reserved namespace is declared');
  demand(value === '' ? prefix === '' : /^[A-Za-z][A-Za-z0-9+.-]*:/.test(value), 'a namespace that is no absolute URI');
}
