/** What XML 1.0 cannot hold, not even escaped: control characters, half surrogate pairs and two more (section 2.2). */
const FOREIGN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const REPLACEMENT = '\ufffd';
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** Whether a text can stand in an XML document as it is. */
export function isXmlText(text: string): boolean {
  return text.search(FOREIGN) < 0;
}

/** The text as the content of an attribute or an element; what XML cannot hold becomes U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(FOREIGN, REPLACEMENT).replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
