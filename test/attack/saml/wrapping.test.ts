import { describe, it } from 'vitest';
import { elementOf, expectAttackToFail, forged, honest, renamed, swap, unsigned } from './scene.ts';

/*
 * Signature wrapping: the signed part is kept somewhere where its signature still holds, and a forged part is put where it would be
 * read (Somorovsky and others, "On Breaking SAML", 2012, XSW1 to XSW8; contract 06 section 6.2). Each with the id of the signed
 * part and with one of its own.
 */
const EVIL_ID = '_evil';
const signatureOf = (xml: string): string => elementOf(xml, 'Signature');
const assertionOf = (xml: string): string => elementOf(xml, 'Assertion');
const inObject = (signature: string, content: string): string =>
  signature.replace('</ds:Signature>', `<ds:Object>${content}</ds:Object></ds:Signature>`);
const beforeEnd = (xml: string, local: string, content: string): string =>
  xml.replace(new RegExp(`(</\\w+:${local}>)(?!.*\\1)`, 's'), `${content}$1`);

type Attack = (xml: string, id: (element: string) => string) => string;

const ON_RESPONSES: readonly (readonly [string, Attack])[] = [
  [
    'XSW1: the signed Response in an Object of the Signature of a forged one',
    (xml, id) => {
      const evil = forged(id(unsigned(xml)));
      return evil.replace('</saml:Issuer>', `</saml:Issuer>${inObject(signatureOf(xml), unsigned(xml))}`);
    },
  ],
  [
    'XSW1: the signed Response as a child of the Signature of a forged one',
    (xml, id) => {
      const evil = forged(id(unsigned(xml)));
      return evil.replace(
        '</saml:Issuer>',
        `</saml:Issuer>${signatureOf(xml).replace('</ds:Signature>', `${unsigned(xml)}</ds:Signature>`)}`,
      );
    },
  ],
  [
    'XSW2: the signed Response before its detached Signature in a forged one',
    (xml, id) => forged(id(unsigned(xml))).replace('</saml:Issuer>', `</saml:Issuer>${unsigned(xml)}${signatureOf(xml)}`),
  ],
  [
    'the signed Response, with its Signature, in Extensions of a forged one',
    (xml, id) => forged(id(unsigned(xml))).replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${xml}</samlp:Extensions>`),
  ],
  [
    'the signed Response in Extensions of a forged one that has its Signature',
    (xml, id) =>
      forged(id(unsigned(xml))).replace(
        '</saml:Issuer>',
        `</saml:Issuer>${signatureOf(xml)}<samlp:Extensions>${unsigned(xml)}</samlp:Extensions>`,
      ),
  ],
];

const ON_ASSERTIONS: readonly (readonly [string, Attack])[] = [
  [
    'XSW3: a forged Assertion before the signed one',
    (xml, id) => xml.replace(assertionOf(xml), forged(id(unsigned(assertionOf(xml)))) + assertionOf(xml)),
  ],
  [
    'a forged Assertion behind the signed one',
    (xml, id) => xml.replace(assertionOf(xml), assertionOf(xml) + forged(id(unsigned(assertionOf(xml))))),
  ],
  [
    'XSW4: the signed Assertion in a forged one',
    (xml, id) => xml.replace(assertionOf(xml), beforeEnd(forged(id(unsigned(assertionOf(xml)))), 'Assertion', assertionOf(xml))),
  ],
  [
    'XSW5: the Signature in a forged Assertion, the signed one at the end',
    (xml, id) => xml.replace(assertionOf(xml), forged(id(assertionOf(xml))) + unsigned(assertionOf(xml))),
  ],
  [
    'XSW6: the signed Assertion in the Signature of a forged one',
    (xml, id) => {
      const signature = signatureOf(xml).replace('</ds:Signature>', `${unsigned(assertionOf(xml))}</ds:Signature>`);
      return xml.replace(assertionOf(xml), forged(id(assertionOf(xml))).replace(signatureOf(xml), signature));
    },
  ],
  [
    'XSW7: a forged Assertion in Extensions',
    (xml, id) =>
      xml.replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${forged(id(unsigned(assertionOf(xml))))}</samlp:Extensions>`),
  ],
  [
    'XSW7 turned round: the signed Assertion in Extensions, a forged one in its place',
    (xml, id) =>
      xml
        .replace(assertionOf(xml), forged(id(unsigned(assertionOf(xml)))))
        .replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${assertionOf(xml)}</samlp:Extensions>`),
  ],
  [
    'XSW8: the signed Assertion in an Object of the Signature of a forged one',
    (xml, id) => {
      const signature = inObject(signatureOf(xml), unsigned(assertionOf(xml)));
      return xml.replace(assertionOf(xml), forged(id(assertionOf(xml))).replace(signatureOf(xml), signature));
    },
  ],
  [
    'the signed Assertion in the Advice of a forged one that has its Signature',
    (xml, id) => {
      const advice = `<saml:Advice>${unsigned(assertionOf(xml))}</saml:Advice>`;
      return xml.replace(assertionOf(xml), forged(id(assertionOf(xml))).replace('<saml:AuthnStatement', `${advice}<saml:AuthnStatement`));
    },
  ],
  [
    'the signed Assertion, whole, in the Advice of a forged one',
    (xml, id) => {
      const advice = `<saml:Advice>${assertionOf(xml)}</saml:Advice>`;
      return xml.replace(
        assertionOf(xml),
        forged(id(unsigned(assertionOf(xml)))).replace('<saml:AuthnStatement', `${advice}<saml:AuthnStatement`),
      );
    },
  ],
  [
    'the Signature of the Assertion moved to the Response',
    (xml, id) => {
      const evil = forged(id(unsigned(assertionOf(xml))));
      return xml.replace(assertionOf(xml), evil).replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(xml)}`);
    },
  ],
  [
    'an Assertion of another namespace besides the signed one',
    (xml, id) =>
      xml.replace(
        assertionOf(xml),
        `${assertionOf(xml)}<Assertion xmlns="urn:other">${forged(id(unsigned(assertionOf(xml))))}</Assertion>`,
      ),
  ],
  [
    'an Assertion of another namespace only',
    (xml, id) =>
      xml.replace(/<saml:Assertion xmlns:saml="[^"]*"/, '<saml:Assertion xmlns:saml="urn:other"').replace(/^<samlp/, (tag) => id(tag)),
  ],
];

const IDS: readonly (readonly [string, (element: string) => string])[] = [
  ['the id of the signed part', (element) => element],
  ['an id of its own', (element) => renamed(element, EVIL_ID)],
];

describe.each(IDS)('a forged part with %s', (_, id) => {
  describe('in a response that is signed', () => {
    it.each(ON_RESPONSES)('%s', (_name, attack) => expectAttackToFail(honest({ sign: 'response' }), (xml) => attack(xml, id)));
  });

  describe('in a response whose assertion is signed', () => {
    it.each(ON_ASSERTIONS)('%s', (_name, attack) => expectAttackToFail(honest({ sign: 'assertion' }), (xml) => attack(xml, id)));
  });
});

describe('an id twice', () => {
  const EXTENSIONS = (attribute: string): ((xml: string) => string) => {
    return (xml) => {
      const id = / ID="([^"]*)"/.exec(assertionOf(xml))?.[1];
      return xml.replace(
        '</saml:Issuer>',
        `</saml:Issuer><samlp:Extensions><x:y xmlns:x="urn:x" ${attribute}="${id}"/></samlp:Extensions>`,
      );
    };
  };

  it.each(['ID', 'Id', 'id', 'iD', 'x:ID', 'x:id', 'xml:id'])('as %s', (attribute) =>
    expectAttackToFail(honest(), EXTENSIONS(attribute), 'REFUSED', /^an id twice$/),
  );

  it('on the Response itself', () =>
    expectAttackToFail(honest(), (xml) => renamed(xml, / ID="([^"]*)"/.exec(assertionOf(xml))?.[1] ?? ''), 'REFUSED', /^an id twice$/));
});

describe('what a Signature refers to', () => {
  it.each([
    ['nothing', ''],
    ['the whole document by XPointer', '#xpointer(/)'],
    ['an id by XPointer', '#xpointer(id(1))'],
    ['a file', 'file:///etc/passwd'],
    ['a page', 'https://evil.example.com/'],
    ['an id with a quote', "#a' or '1'='1"],
  ])('%s', (_, uri) =>
    expectAttackToFail(honest(), (xml) => xml.replace(/ URI="#[^"]*"/, ` URI="${uri}"`), 'REFUSED', /^a Reference to something else$/),
  );

  it('the Response from the Assertion, and the other way round', () => {
    const attack = (xml: string): string => {
      const [response = '', assertion = ''] = Array.from(xml.matchAll(/<saml\w?:\w+ [^>]* ID="([^"]*)"/g), (match) => match[1]);
      return swap(xml, `URI="#${assertion}"`, `URI="#${response}"`);
    };
    expectAttackToFail(honest(), attack, 'REFUSED', /^a Reference to something else$/);
  });

  it('an id that is none', () => {
    const ids = [`a'b`, '1a', 'a b', 'a'.repeat(300), 'ä'];
    for (const id of ids) expectAttackToFail(honest(), () => honest({ assertionId: id }));
  });
});
