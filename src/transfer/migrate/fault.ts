/** Something that ends a move; the message is one sentence for the person who runs it, and names no secret. */
export class MigrateFault extends Error {
  override readonly name = 'MigrateFault';
}
