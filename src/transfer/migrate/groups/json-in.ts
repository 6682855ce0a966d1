import { EMPTY_OBJECT, type JsonText, parseJsonObject, toJsonText } from '../../../json/free-form.ts';
import type { Row } from '../../../store/foreign-database.ts';
import { textIn } from '../layout.ts';

/** The JSON object in a column, null for an empty one; undefined for what is none, or nests too deep. */
export function objectIn(row: Row, column: string): JsonText | undefined {
  const text = textIn(row, column) ?? '{}';
  if (text === '{}') return EMPTY_OBJECT;
  const object = parseJsonObject(text);
  return object && toJsonText(object);
}
