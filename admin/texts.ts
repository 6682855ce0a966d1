/** Everything that the page says of its own. */
export const TEXTS = {
  signIn: 'Sign in',
  signOut: 'Sign out',
  email: 'Email',
  password: 'Password',
  code: 'One-time code',
  codeHint: 'from your authenticator app',
  verify: 'Verify',
  enrol: 'Set up one-time codes',
  enrolMust: 'This core asks every operator for one-time codes. Set them up to go on.',
  enrolHow: 'Add this secret to an authenticator app, and type the code that it shows:',
  openApp: 'Open in an app on this device',
  signedInAs: 'Signed in as',
  role: 'Role',
  scopes: 'May use',
  codes: 'One-time codes',
  on: 'on',
  off: 'off',
  ends: 'Session ends',
  noCookie:
    'The password is right, but this browser did not keep the session. Safari keeps it over HTTPS alone, also on this machine: put a proxy with TLS before the core, or use another browser.',
  statuses: {
    INVALID_CREDENTIALS_ERROR: 'Email or password is wrong, or there were too many attempts: then wait a quarter of an hour.',
    NOT_AN_OPERATOR_ERROR: 'You have no role here yet: ask an admin, who can give you one by “watchword operator grant”.',
    INVALID_TOTP_ERROR: 'The code is wrong or was used before, or there were too many attempts: then wait a quarter of an hour.',
    NO_ENROLMENT_ERROR: 'That took too long: begin again.',
  } as Readonly<Record<string, string>>,
} as const;
