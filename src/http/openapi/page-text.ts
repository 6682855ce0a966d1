const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in HTML, within elements and quoted attributes. */
export function escaped(text: unknown): string {
  return String(text).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}

/** A sentence with `code` and **stress**, as descriptions have them. */
export function sentence(text: unknown): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

/** Paragraphs, divided by empty lines. */
export function paragraphs(text: unknown): string {
  return String(text ?? '')
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => `<p>${sentence(part)}</p>`)
    .join('\n');
}

/** A value as it stands in a request or an answer. */
export function sample(value: unknown): string {
  return `<pre><code>${escaped(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</code></pre>`;
}
