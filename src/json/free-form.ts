/**
 * A JSON object or value that belongs to the caller (session data, claims, metadata), kept as compact JSON text so that
 * integers up to 2^63 and every other literal survive. Made only by `src/json`.
 */
export type JsonText = string & { readonly __json: unique symbol };

/** A value inside a view that is written into the answer as it is. */
export class RawJson {
  readonly text: JsonText;
  constructor(text: JsonText) {
    this.text = text;
  }
}
