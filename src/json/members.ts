import { endOfString } from './exact-numbers.ts';
import { InvalidJsonError, type JsonText } from './free-form.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** An object's members by name, each as written, `"name":value`. Kept text spells equal names equally. */
export type MemberTexts = Map<string, string>;

/**
 * The members of an object, found without parsing their values: kept text is compact, strict JSON. Ends for any text.
 * @throws InvalidJsonError where it cannot be cut into members
 */
export function membersOf(object: JsonText): MemberTexts {
  const members: MemberTexts = new Map();
  const last = object.length - 1;
  if (last < 1 || object.charCodeAt(0) !== OPEN || object.charCodeAt(last) !== CLOSE) throw new InvalidJsonError('syntax');
  for (let at = 1; at < last; ) {
    const nameEnd = object.charCodeAt(at) === QUOTE ? endOfString(object, at) : at;
    const end = object.charCodeAt(nameEnd) === COLON ? endOfValue(object, nameEnd + 1, last) : at;
    // An empty value, or a comma behind the last member.
    if (end <= nameEnd + 1 || end === last - 1) throw new InvalidJsonError('syntax');
    members.set(object.slice(at, nameEnd), object.slice(at, end));
    at = end + 1;
  }
  return members;
}

/** Whether the value of a member is null. */
export function isNullMember(name: string, member: string): boolean {
  return member.length === name.length + 5 && member.endsWith(':null');
}

/** The object that has these members. */
export function objectOf(members: MemberTexts): JsonText {
  return `{${[...members.values()].join(',')}}` as JsonText;
}

/** Index of what ends a value: a comma, or the object's end at `last`. @throws InvalidJsonError where nothing does */
function endOfValue(text: string, start: number, last: number): number {
  let depth = 0;
  let at = start;
  for (; at < last && depth >= 0; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if ((code | BRACE_BIT) === OPEN) depth++;
    else if ((code | BRACE_BIT) === CLOSE) depth--;
    else if (code === COMMA && depth === 0) return at;
  }
  // A string or a bracket that does not end before the object does.
  if (at !== last || depth !== 0) throw new InvalidJsonError('syntax');
  return last;
}
