/** What a cell may hold. */
export type Cell = string | number | boolean | null | undefined;

const NONE = '-';
/** They would move the cursor, colour the screen or turn the text of whoever looks at what others have sent. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A text for people without what works on their terminal; its lines stay. */
export const harmless = (text: string): string => text.replace(CONTROLS, (control) => (control === '\n' ? control : '?'));

/** JSON that works on no terminal either: the same value, with such characters escaped. */
export function harmlessJson(value: unknown, indent = 2): string {
  const escaped = (control: string): string => (control === '\n' ? control : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return JSON.stringify(value, null, indent).replace(CONTROLS, escaped);
}

/** Names, one a line. */
export const lines = (names: readonly string[]): string => names.map((name) => `${textOf(name)}\n`).join('');

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return NONE;
  return typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : String(cell).replace(CONTROLS, '?');
}

/** Columns with a head, for people. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [head.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(textOf))];
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const lines = texts.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** One thing, a line for each of its facts. */
export function facts(rows: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${rows.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`).join('\n')}\n`;
}

/** A time in ms since the epoch as people read it, in UTC. */
export function time(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}
