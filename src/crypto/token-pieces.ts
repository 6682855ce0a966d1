/** Splits a token on its dots as the reference does: empty pieces at the end do not count. */
export function splitOnDots(token: string): string[] {
  const pieces = token.split('.');
  while (pieces.length > 1 && pieces.at(-1) === '') pieces.pop();
  return pieces;
}
