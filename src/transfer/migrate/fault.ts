/** Something that ends a move; the message is one sentence for the person who runs it, and names no secret. */
export class MigrateFault extends Error {
  override readonly name = 'MigrateFault';
}

/** What whoever interrupts is told. */
export const INTERRUPTED = 'it was interrupted; the same command goes on where it stopped';
