import { type JsonText, parseJson, toJsonText } from '../src/json/free-form.ts';

/** Free-form text from outside as it is kept. @throws InvalidJsonError */
export function readJsonText(text: string): JsonText {
  return toJsonText(parseJson(text));
}
