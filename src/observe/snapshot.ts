/**
 * Answers what `look` finds, for all who ask until it is so old: more of them cost no more. What fails is not kept.
 * @param ms from the beginning of a look
 */
export function snapshot<T>(ms: number, look: () => Promise<T>, elapsed: () => number = () => performance.now()): () => Promise<T> {
  let taken: { readonly at: number; readonly found: Promise<T> } | undefined;
  return () => {
    if (taken && elapsed() - taken.at < ms) return taken.found;
    const taking = { at: elapsed(), found: look() };
    taken = taking;
    taking.found.catch(() => {
      if (taken === taking) taken = undefined;
    });
    return taking.found;
  };
}
