import { describe, expect, test } from 'vitest';
import { traitsFor } from '../../src/cdi/traits.ts';
import { INPUTS } from '../../src/generated/inputs.ts';
import { type Body, PassingBody, RepeatedBodies } from '../../src/http/body.ts';
import { readInput } from '../../src/http/input.ts';
import type { Repeated } from '../../src/recipes/session-records/verified-tokens.ts';

const plan = INPUTS['session/verify-session'];
const verifyBody = (accessToken: string): Buffer =>
  Buffer.from(JSON.stringify({ accessToken, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: false }));

/** A body is kept from its second coming on. */
function keep(bodies: RepeatedBodies, lent: Uint8Array): Body {
  bodies.get(lent);
  return bodies.get(lent);
}

function repeatedOf(body: Body): Repeated {
  if (!body.repeated) throw new Error('the body was not kept');
  return body.repeated;
}

describe('bodies that come again', () => {
  test('are one body, read once', () => {
    const bodies = new RepeatedBodies();
    const traits = traitsFor('5.4');
    const first = readInput(plan, { body: keep(bodies, verifyBody('a'.repeat(500))), query: '' }, traits);
    const second = readInput(plan, { body: bodies.get(verifyBody('a'.repeat(500))), query: '' }, traits);
    expect(second).toBe(first);
  });

  test('are read again for another version, whose fields differ', () => {
    const bodies = new RepeatedBodies();
    const lent = verifyBody('token');
    const modern = readInput(plan, { body: keep(bodies, lent), query: '' }, traitsFor('5.4'));
    const legacy = readInput(plan, { body: bodies.get(lent), query: '' }, traitsFor('2.7'));
    expect(modern.command).toHaveProperty('checkDatabase', false);
    expect(legacy.command).not.toHaveProperty('checkDatabase');
  });

  test('are told apart although their fingerprints agree', () => {
    const bodies = new RepeatedBodies();
    const one = Buffer.alloc(600, 'x');
    const other = Buffer.alloc(600, 'x');
    other[10] = 0x79;
    expect(keep(bodies, one).text).toBe(one.toString());
    expect(bodies.get(other).text).toBe(other.toString());
    expect(bodies.get(one).text).toBe(one.toString());
  });

  test('keep what they are when the lent bytes are overwritten', () => {
    const bodies = new RepeatedBodies();
    const lent = verifyBody('first');
    const kept = keep(bodies, lent);
    const once = new PassingBody(Buffer.from('once'));
    lent.fill(0);
    expect(kept.text).toContain('first');
    expect(once.text).toBe('once');
  });

  test('are forgotten in the order of their last use, beyond a bound', () => {
    const bodies = new RepeatedBodies();
    const first = keep(bodies, verifyBody('first'));
    const large = (n: number): Buffer => Buffer.concat([Buffer.alloc(1_000_000, n), Buffer.from(String(n))]);
    for (let n = 0; n < 9; n++) keep(bodies, large(n));
    expect(bodies.get(verifyBody('first'))).toBe(first);
    for (let n = 0; n < 20; n++) keep(bodies, large(n));
    expect(bodies.get(verifyBody('first'))).not.toBe(first);
  });

  test('are forgotten by their number too, however small', () => {
    const bodies = new RepeatedBodies();
    const first = bodies.get(Buffer.from('first'));
    for (let n = 0; n < 20_000; n++) bodies.get(Buffer.from(n.toString(36).padStart(8, '0')));
    expect(bodies.get(Buffer.from('first'))).not.toBe(first);
  });

  test('keep an answer beside their bytes, and make it anew when these move', () => {
    const bodies = new RepeatedBodies();
    const kept = (): Repeated => repeatedOf(keep(bodies, verifyBody('first')));
    const first = kept();
    first.keepAnswer('{"n":"é"}');
    expect(Buffer.from(first.answer?.jsonBytes ?? []).toString()).toBe('{"n":"é"}');
    const large = (n: number): Buffer => Buffer.concat([Buffer.alloc(1_000_000, n), Buffer.from(String(n))]);
    for (let n = 0; n < 7; n++) keep(bodies, large(n));
    expect(Buffer.from(kept().answer?.jsonBytes ?? []).toString()).toBe('{"n":"é"}');
    keep(bodies, large(7));
    expect(kept()).toBe(first);
    expect(first.answer).toBeUndefined();
    expect(keep(bodies, verifyBody('first')).text).toBe(verifyBody('first').toString());
  });

  test('that fill a generation alone are not kept, nor is an answer for which there is no room', () => {
    const bodies = new RepeatedBodies();
    const huge = Buffer.alloc(8_000_000, 'x');
    expect(keep(bodies, huge).repeated).toBeUndefined();
    const nearly = repeatedOf(keep(bodies, huge.subarray(0, 7_999_000)));
    expect(nearly.keepAnswer('y'.repeat(1000)).jsonBytes).toHaveLength(1000);
    expect(nearly.answer).toBeUndefined();
  });

  test('that are no UTF-8 have no text', () => {
    expect(new PassingBody(Uint8Array.of(0xff, 0xfe)).text).toBeUndefined();
  });
});
