/** A name of which more than this part would have to change is nothing like what was written. */
const MOST_CHANGED = 0.4;

/**
 * The known name that somebody who wrote `text` most likely meant; `undefined` where none is like it.
 * @param bare what of a name counts: names with the same are the same
 */
export function nearestName(text: string, names: readonly string[], bare: (name: string) => string = (name) => name): string | undefined {
  const written = bare(text).toLowerCase();
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const known = bare(name).toLowerCase();
    const changes = changesBetween(written, known);
    if (changes >= least || changes > MOST_CHANGED * Math.max(written.length, known.length)) continue;
    nearest = name;
    least = changes;
  }
  return nearest;
}

/** A fault that a name is known nowhere, with the nearest one that is. @param nearest as it is written there */
export function strangerText(what: string, nearest: string | undefined): string {
  return `Unknown ${what}${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`;
}

/** The least number of letters to write, take away, replace or swap with the next that makes one text the other. */
function changesBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let at = 1; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1];
      const isSwapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      line[at] = Math.min(
        costOf(last[at]) + 1,
        costOf(line[at - 1]) + 1,
        costOf(last[at - 1]) + (isSame ? 0 : 1),
        isSwapped ? costOf(before[at - 2]) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = line;
  }
  return costOf(last[to.length]);
}

const costOf = (cost: number | undefined): number => cost ?? Number.POSITIVE_INFINITY;
