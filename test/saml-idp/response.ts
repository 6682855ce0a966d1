import { randomBytes } from 'node:crypto';
import { base64Of, escapeXml, type TestIdp } from './idp.ts';
import { type SigningOptions, signElement } from './sign.ts';

const URN = 'urn:oasis:names:tc:SAML:2.0:';
const SECOND_MS = 1000;

/** An attribute of a subject. */
export interface TestAttribute {
  readonly name: string;
  readonly values: readonly string[];
  readonly friendlyName?: string;
  readonly nameFormat?: string;
  /** The xsi:type of the values. */
  readonly type?: string;
}

/** What a response says, and how it is written. What is left out is a plain answer to no request. */
export interface ResponseOptions {
  /** ms since the epoch. */
  readonly now?: number;
  readonly acsUrl?: string;
  readonly audiences?: readonly string[];
  /** What is answered: the id of the request, or the relay state. */
  readonly inResponseTo?: string | undefined;
  readonly issuer?: string;
  readonly nameId?: string | null;
  readonly nameIdFormat?: string | null;
  readonly nameIdAttributes?: string;
  readonly attributes?: readonly TestAttribute[];
  readonly responseId?: string;
  readonly assertionId?: string;
  /** Seconds from `now`; null leaves the attribute out. */
  readonly issued?: number;
  readonly notBefore?: number | null;
  readonly notOnOrAfter?: number | null;
  readonly confirmedUntil?: number | null;
  readonly status?: string;
  readonly destination?: string | null;
  readonly recipient?: string | null;
  readonly sign?: 'assertion' | 'response' | 'both' | 'none';
  readonly signing?: SigningOptions;
  /** Prefixes of the two namespaces; empty for none. */
  readonly prefixes?: { readonly protocol: string; readonly assertion: string };
  /** What stands between the elements. */
  readonly gap?: string;
  readonly declaration?: boolean;
  /** Rewrites the text before it is signed. */
  readonly rewrite?: (xml: string) => string;
}

/** A response as XML, signed as the options say. */
export function responseXml(idp: TestIdp, options: ResponseOptions = {}): string {
  const { sign = 'assertion', signing = {}, declaration = false } = options;
  let xml = unsignedXml(idp, options);
  if (options.rewrite) xml = options.rewrite(xml);
  if (sign === 'assertion' || sign === 'both') xml = signElement(xml, 'Assertion', idp, signing);
  if (sign === 'response' || sign === 'both') xml = signElement(xml, 'Response', idp, signing);
  return (declaration ? '<?xml version="1.0" encoding="UTF-8"?>' : '') + xml;
}

/** The same, as a browser posts it. */
export function postedResponse(idp: TestIdp, options: ResponseOptions = {}): string {
  return base64Of(responseXml(idp, options));
}

/** An id as identity providers make them. */
export function newId(): string {
  return `_${randomBytes(20).toString('hex')}`;
}

type Writer = (name: string, attributes: Readonly<Record<string, string | null | undefined>>, ...content: readonly string[]) => string;

function writer(gap: string): Writer {
  return (name, attributes, ...content) => {
    const written = Object.entries(attributes).flatMap(([key, value]) =>
      typeof value === 'string' ? [` ${key}="${escapeXml(value)}"`] : [],
    );
    const inner = content.filter((piece) => piece !== '');
    const spaced = inner.some((piece) => piece.startsWith('<')) ? inner.map((piece) => gap + piece).join('') + gap : inner.join('');
    return `<${name}${written.join('')}>${spaced}</${name}>`;
  };
}

function unsignedXml(idp: TestIdp, options: ResponseOptions): string {
  const {
    now = Date.now(),
    acsUrl = 'https://app.example.com/acs',
    prefixes = { protocol: 'samlp', assertion: 'saml' },
    gap = '',
  } = options;
  const element = writer(gap);
  const p = (local: string): string => (prefixes.protocol === '' ? local : `${prefixes.protocol}:${local}`);
  const a = (local: string): string => (prefixes.assertion === '' ? local : `${prefixes.assertion}:${local}`);
  const xmlns = (prefix: string, uri: string): Record<string, string> => ({ [prefix === '' ? 'xmlns' : `xmlns:${prefix}`]: uri });
  const assertionNs = xmlns(prefixes.assertion, `${URN}assertion`);
  const issued = at(now, options.issued ?? 0);
  const issuer = options.issuer ?? idp.entityId;
  const assertion = element(
    a('Assertion'),
    {
      ...assertionNs,
      'xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      ID: options.assertionId ?? newId(),
      IssueInstant: issued,
      Version: '2.0',
    },
    element(a('Issuer'), {}, escapeXml(issuer)),
    ...statements(element, a, { ...options, now, acsUrl }),
  );
  return element(
    p('Response'),
    {
      ...xmlns(prefixes.protocol, `${URN}protocol`),
      ID: options.responseId ?? newId(),
      Version: '2.0',
      IssueInstant: issued,
      Destination: options.destination === undefined ? acsUrl : options.destination,
      InResponseTo: options.inResponseTo,
    },
    element(a('Issuer'), assertionNs, escapeXml(issuer)),
    element(p('Status'), {}, element(p('StatusCode'), { Value: options.status ?? `${URN}status:Success` })),
    assertion,
  );
}

function statements(
  element: Writer,
  a: (local: string) => string,
  options: ResponseOptions & { readonly now: number; readonly acsUrl: string },
): readonly string[] {
  const { now, acsUrl, nameId = 'user-123', nameIdFormat = `${URN}nameid-format:persistent`, attributes = [] } = options;
  const moment = (seconds: number | null | undefined, usual: number): string | null =>
    seconds === null ? null : at(now, seconds ?? usual);
  const audiences = (options.audiences ?? ['https://saml.supertokens.com']).map((audience) =>
    element(a('Audience'), {}, escapeXml(audience)),
  );
  const name = nameId === null ? '' : element(a('NameID'), { Format: nameIdFormat }, escapeXml(nameId));
  return [
    element(
      a('Subject'),
      {},
      name.replace('>', `${options.nameIdAttributes ?? ''}>`),
      element(
        a('SubjectConfirmation'),
        { Method: `${URN}cm:bearer` },
        element(a('SubjectConfirmationData'), {
          InResponseTo: options.inResponseTo,
          NotOnOrAfter: moment(options.confirmedUntil, 300),
          Recipient: options.recipient === undefined ? acsUrl : options.recipient,
        }),
      ),
    ),
    element(
      a('Conditions'),
      { NotBefore: moment(options.notBefore, -60), NotOnOrAfter: moment(options.notOnOrAfter, 300) },
      audiences.length === 0 ? '' : element(a('AudienceRestriction'), {}, ...audiences),
    ),
    element(
      a('AuthnStatement'),
      { AuthnInstant: at(now, 0), SessionIndex: '_session' },
      element(a('AuthnContext'), {}, element(a('AuthnContextClassRef'), {}, `${URN}ac:classes:PasswordProtectedTransport`)),
    ),
    attributes.length === 0 ? '' : element(a('AttributeStatement'), {}, ...attributes.map((one) => attributeXml(element, a, one))),
  ];
}

function attributeXml(
  element: Writer,
  a: (local: string) => string,
  { name, values, friendlyName, nameFormat, type }: TestAttribute,
): string {
  const written = values.map((value) => element(a('AttributeValue'), { 'xsi:type': type }, escapeXml(value)));
  return element(a('Attribute'), { FriendlyName: friendlyName, Name: name, NameFormat: nameFormat }, ...written);
}

const at = (now: number, seconds: number): string => new Date(now + seconds * SECOND_MS).toISOString();
