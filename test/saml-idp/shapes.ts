import type { ResponseOptions } from './response.ts';

const NAME_FORMAT = 'urn:oasis:names:tc:SAML:2.0:attrname-format:';
const CLAIM = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** How the answers of well-known identity providers look, after their documentation: what is signed, how it is written, how names are called. */
export const SHAPES: Readonly<Record<string, ResponseOptions>> = {
  Okta: {
    declaration: true,
    sign: 'both',
    prefixes: { protocol: 'saml2p', assertion: 'saml2' },
    signing: { prefixList: 'xs' },
    nameId: 'ada@example.com',
    nameIdFormat: EMAIL_FORMAT,
    attributes: [
      { name: 'email', nameFormat: `${NAME_FORMAT}unspecified`, values: ['ada@example.com'], type: 'xs:string' },
      { name: 'groups', nameFormat: `${NAME_FORMAT}unspecified`, values: ['Everyone', 'Engineering'], type: 'xs:string' },
    ],
  },
  'Entra ID': {
    sign: 'assertion',
    prefixes: { protocol: 'samlp', assertion: '' },
    signing: { prefix: '' },
    attributes: [
      { name: 'http://schemas.microsoft.com/identity/claims/tenantid', values: ['6f1e0c7e-2a4b-4b7c-9f0e-6b2d3f1a2b3c'] },
      { name: 'http://schemas.microsoft.com/identity/claims/objectidentifier', values: ['0f8fad5b-d9cb-469f-a165-70867728950e'] },
      { name: `${CLAIM}emailaddress`, values: ['ada@example.com'] },
      { name: `${CLAIM}name`, values: ['ada@example.onmicrosoft.com'] },
    ],
  },
  Google: {
    declaration: true,
    sign: 'response',
    prefixes: { protocol: 'saml2p', assertion: 'saml2' },
    signing: { wrap: '\n' },
    nameId: 'ada@example.com',
    nameIdFormat: EMAIL_FORMAT,
    attributes: [{ name: 'email', values: ['ada@example.com'], type: 'xs:anyType' }],
  },
  ADFS: {
    sign: 'assertion',
    prefixes: { protocol: 'samlp', assertion: '' },
    nameId: 'EXAMPLE\\ada',
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
    attributes: [
      { name: `${CLAIM}emailaddress`, values: ['Ada@EXAMPLE.COM'] },
      { name: `${CLAIM}upn`, values: ['ADA@example.com'] },
      { name: 'http://schemas.xmlsoap.org/claims/Group', values: ['Domain Users', 'R&D'] },
    ],
  },
  Keycloak: {
    sign: 'both',
    signing: { prefix: 'dsig', keyInfo: null },
    nameId: 'G-ada',
    attributes: [
      { name: 'Role', nameFormat: `${NAME_FORMAT}basic`, values: ['offline_access'], type: 'xs:string' },
      {
        name: 'urn:oid:1.2.840.113549.1.9.1',
        friendlyName: 'email',
        nameFormat: `${NAME_FORMAT}uri`,
        values: ['ada@example.com'],
        type: 'xs:string',
      },
    ],
  },
  Shibboleth: {
    declaration: true,
    sign: 'response',
    prefixes: { protocol: 'saml2p', assertion: 'saml2' },
    signing: { wrap: '&#13;\n', hash: 'sha512', digest: 'sha512' },
    gap: '\r\n  ',
    nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
    nameIdAttributes: ' NameQualifier="https://idp.example.com/metadata" SPNameQualifier="https://saml.supertokens.com"',
    attributes: [
      { name: 'urn:oid:0.9.2342.19200300.100.1.3', friendlyName: 'mail', nameFormat: `${NAME_FORMAT}uri`, values: ['ada@example.com'] },
      {
        name: 'urn:oid:1.3.6.1.4.1.5923.1.1.1.9',
        friendlyName: 'eduPersonScopedAffiliation',
        values: ['member@example.com', 'staff@example.com'],
      },
    ],
  },
};
