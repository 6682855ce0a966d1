import { expect, test } from 'vitest';
import { KeptBody } from '../../src/http/kept-body.ts';

const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, at) => (at * 31) % 251);

test.each([[[]], [[0]], [[1, 2, 3]], [[16_383, 1, 1]], [[10_000, 10_000]], [[65_536]], [[1, 200_000, 0, 65_536, 7]]])(
  'pieces of %j bytes become one body, and are nothing after it was dropped',
  (sizes) => {
    const whole = bytesOf(sizes.reduce((sum, size) => sum + size, 0));
    const body = new KeptBody(whole.length);
    let at = 0;
    for (const size of sizes) {
      // Lent: overwritten as soon as it was taken.
      const piece = whole.slice(at, at + size);
      body.add(piece);
      piece.fill(0);
      at += size;
    }
    const bytes = body.bytes();
    expect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).equals(whole)).toBe(true);
    expect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')).toBe(Buffer.from(whole).toString('latin1'));
    body.drop();
    expect(body.bytes()).toHaveLength(0);
  },
);

test('the memory of a large body goes back at once, though somebody still holds a view of it', () => {
  const body = new KeptBody(1 << 20);
  body.add(bytesOf(1 << 20));
  const view = body.bytes();
  expect(view).toHaveLength(1 << 20);
  body.drop();
  expect(view).toHaveLength(0);
});
