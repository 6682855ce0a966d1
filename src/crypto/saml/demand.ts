/** What is wrong with a document that is not accepted: for the debug log, without values of the document. */
export class Unacceptable extends Error {
  override readonly name = 'Unacceptable';
}

/** Ends the reading of a document that breaks a rule. */
export function demand(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Unacceptable(reason);
}

/** The result of reading, or the reason why the document is not accepted. Faults pass through. */
export function attempt<T>(read: () => T): { readonly result: T } | { readonly reason: string } {
  try {
    return { result: read() };
  } catch (error) {
    if (error instanceof Unacceptable) return { reason: error.message };
    throw error;
  }
}
