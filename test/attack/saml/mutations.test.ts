import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ask, honest, VICTIM } from './scene.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_261_121 });

/*
 * What nobody thought of: pieces of a good response are taken out, doubled, moved or replaced anywhere. Most of what comes out is
 * refused; what is accepted must prove what the identity provider signed, and nothing else.
 */
const SNIPPETS = [
  '<',
  '>',
  '"',
  "'",
  '&',
  '&amp;',
  '<!---->',
  '<?x?>',
  '<![CDATA[]]>',
  ' ID="_x"',
  ' xmlns=""',
  ' xmlns:saml="urn:x"',
  '<saml:Assertion/>',
  VICTIM,
  '\u2028',
  '\u0085',
  '\r',
  '&#13;',
  '\u0000',
  '=',
];

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.nat(3), fc.nat(400), fc.nat(4000)),
  to: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('delete', 'double', 'move', 'insert'),
  snippet: fc.constantFrom(...SNIPPETS),
});

function mutate(xml: string, mutations: readonly { at: number; length: number; to: number; kind: string; snippet: string }[]): string {
  return mutations.reduce((text, { at, length, to, kind, snippet }) => {
    const from = Math.floor(at * text.length);
    const piece = text.slice(from, from + length);
    const without = text.slice(0, from) + text.slice(from + length);
    if (kind === 'delete') return without;
    if (kind === 'insert') return text.slice(0, from) + snippet + text.slice(from);
    const base = kind === 'move' ? without : text;
    const target = Math.floor(to * base.length);
    return base.slice(0, target) + piece + base.slice(target);
  }, xml);
}

it.each(['assertion', 'response', 'both'] as const)('no mutation of a response with signature on: %s, proves anything else', (sign) => {
  const xml = honest({ sign, signing: { prefixList: 'xs' } });
  const proven = ask(xml);
  expect(proven.status).toBe('OK');
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const answer = ask(mutate(xml, mutations));
      if (answer.status !== 'OK') return;
      accepted += 1;
      expect(answer).toEqual(proven);
    }),
    { numRuns: 300 },
  );
  expect(accepted).toBeLessThan(300);
});
