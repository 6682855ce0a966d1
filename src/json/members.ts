import { endOfString } from './exact-numbers.ts';
import type { JsonText } from './free-form.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Members of an object by their names, names and values as JSON text. The names are spelled in the one way in which kept text spells them. */
export type MemberTexts = Map<string, string>;

/** The members of an object, found without reading what is in them: kept text is known to be compact, strict JSON. */
export function membersOf(object: JsonText): MemberTexts {
  const members: MemberTexts = new Map();
  for (let at = 1; at < object.length - 1; ) {
    const nameEnd = endOfString(object, at);
    const end = endOfValue(object, nameEnd + 1);
    members.set(object.slice(at, nameEnd), object.slice(nameEnd + 1, end));
    at = end + 1;
  }
  return members;
}

/** The object that has these members. */
export function objectOf(members: MemberTexts): JsonText {
  const pieces: string[] = [];
  for (const [name, value] of members) pieces.push(`${name}:${value}`);
  return `{${pieces.join(',')}}` as JsonText;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if ((code | BRACE_BIT) === OPEN) depth++;
    else if ((code | BRACE_BIT) === CLOSE) {
      if (depth === 0) return at;
      depth--;
    } else if (code === COMMA && depth === 0) return at;
  }
}
