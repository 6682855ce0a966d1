/** What a recipe is about, as the reference has it in its table of contents. */
export interface Tag {
  readonly title: string;
  readonly description: string;
}

/** By the recipe that `schemas/endpoints.json` names, in the order of the reference. */
export const TAGS: Readonly<Record<string, Tag>> = {
  'email-password': { title: 'Email and password', description: 'Sign-up and sign-in with a password, and its reset.' },
  'email-verification': { title: 'Email verification', description: 'Tokens that prove that a user reads the mail of an address.' },
  passwordless: { title: 'Passwordless', description: 'Codes and links sent by email or text message.' },
  'third-party': {
    title: 'Third party',
    description: 'Sign-in with an account elsewhere, which the back end has checked with its provider.',
  },
  webauthn: { title: 'Passkeys', description: 'WebAuthn: options for the browser, credentials, and recovery.' },
  totp: { title: 'TOTP', description: 'Time-based one-time passwords as a second factor.' },
  session: { title: 'Sessions', description: 'Creation, verification, refresh and end of sessions, their data, and the keys of the app.' },
  jwt: { title: 'JWT', description: 'Tokens of the application, signed with a key of the app.' },
  users: { title: 'Users', description: 'Users of all recipes: look-up, lists, counts and removal.' },
  'account-linking': { title: 'Account linking', description: 'Several login methods as one user.' },
  'user-id-mapping': { title: 'User id mapping', description: 'Ids of the application in the place of those of the core.' },
  'user-metadata': { title: 'User metadata', description: 'Free-form JSON that is kept about a user id.' },
  'user-roles': { title: 'User roles', description: 'Roles, their permissions, and who has them.' },
  multitenancy: {
    title: 'Multitenancy',
    description: 'Connection URI domains, apps and tenants with their configuration, and the members of tenants.',
  },
  saml: { title: 'SAML', description: 'Sign-in by SAML 2.0 identity providers, also behind an OAuth-like face.' },
  'bulk-import': { title: 'Bulk import', description: 'A queue of users that come from elsewhere.' },
  dashboard: { title: 'Dashboard', description: 'The users and sessions of the dashboard of an SDK.' },
  webhooks: { title: 'Webhooks', description: 'Events of the audit trail, sent to other systems.' },
  admin: { title: 'Admin page', description: 'The sign-in of operators in browsers, and who is one.' },
  management: { title: 'Management', description: "Watchword's own endpoints for operators, below `/manage/v1`." },
  service: { title: 'Service', description: 'The core itself: whether it is there, what it speaks, what it counts.' },
};

/** The recipe of what is served beside the rows. */
export const PLAIN_RECIPE = 'service';
