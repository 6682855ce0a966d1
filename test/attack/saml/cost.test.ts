import { describe, expect, it } from 'vitest';
import { EXCLUSIVE_C14N } from '../../saml-idp/sign.ts';
import { ask, expectAttackToFail, honest } from './scene.ts';

/*
 * Documents within the limits of size that canonicalisation would spend its time on: for each attribute it looks through all prefixes
 * in scope and through the list of those to keep. They need no valid signature, so anybody who begins a login can send them.
 */
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `n${n.toString(36)}`);
const declared = (count: number): string =>
  names(count)
    .map((name) => ` xmlns:${name}="u:"`)
    .join('');
const onResponse = (attributes: string) => (xml: string) => xml.replace('<samlp:Response', `<samlp:Response${attributes}`);
const inList = (xml: string, list: string, method: 'Transform' | 'CanonicalizationMethod'): string => {
  const given = `<ec:InclusiveNamespaces xmlns:ec="${EXCLUSIVE_C14N}" PrefixList="${list}"/>`;
  return xml.replace(new RegExp(`(<ds:${method} Algorithm="${EXCLUSIVE_C14N}")(?:/>|></ds:${method}>)`), `$1>${given}</ds:${method}>`);
};

describe('namespace prefixes', () => {
  it('are few: here on the element that is not signed, where each would do no harm to the signature', () => {
    const xml = honest({ sign: 'assertion' });
    expect(ask(onResponse(declared(50))(xml)).status).toBe('OK');
    expectAttackToFail(xml, onResponse(declared(65)), 'REFUSED', /^too many namespace prefixes/);
  });

  it('may be declared again on every value, as some identity providers do', () => {
    const values = Array.from({ length: 300 }, (_, n) => `group ${n}`);
    expect(ask(honest({ nameId: 'a', attributes: [{ name: 'groups', values, type: 'xs:string' }] })).status).toBe('OK');
  });

  it('to keep are a short list', () => {
    const xml = honest({ sign: 'response' });
    for (const method of ['Transform', 'CanonicalizationMethod'] as const) {
      const attack = (list: string) => (plain: string) => inList(plain, list, method);
      expectAttackToFail(xml, attack('z '.repeat(513).trim()), 'REFUSED', /^a list of prefixes that is too long/);
      expectAttackToFail(xml, attack('z '.repeat(512).trim()), 'REFUSED', /digest|signature/);
    }
  });

  it('that would take seconds are refused before they are canonicalised', () => {
    const kept = names(8000).join(' ');
    const attributes = names(7500)
      .map((name) => ` n1:${name}=""`)
      .join('');
    const heavy = onResponse(declared(8000))(inList(honest({ sign: 'response' }), kept, 'Transform'));
    expect(ask(heavy.replace('</samlp:Status>', `</samlp:Status><b${attributes}/>`))).toMatchObject({
      status: 'REFUSED',
      reason: expect.stringMatching(/^too many namespace prefixes/),
    });
  });
});
