/** What an event is of: something in one tenant, in a whole app, or in the whole core. */
type EventScope = 'tenant' | 'app' | 'core';

interface KindFacts {
  readonly of: EventScope;
  /** A sentence for documentation and help. */
  readonly doc: string;
}

/** Checks the shape of the table and keeps its names. */
const table = <const T extends Readonly<Record<string, KindFacts>>>(kinds: T): T => kinds;

/**
 * Everything that the trail tells of, once. Names and what their details hold are read by other systems: they are
 * never changed, only added.
 */
export const KINDS = table({
  'user.created': { of: 'tenant', doc: 'A user signed up, or was made: details.recipe names the login method.' },
  'user.imported': { of: 'app', doc: 'A user of another system was taken over.' },
  'user.removed': { of: 'app', doc: 'A user, or one of its login methods (details.recipeUserId), was removed.' },
  'user.disabled': { of: 'app', doc: 'A user may sign in no more.' },
  'user.enabled': { of: 'app', doc: 'A disabled user may sign in again.' },
  'user.unlocked': { of: 'app', doc: 'Failed sign-ins and wrong codes of a user were forgotten.' },
  'user.made-primary': { of: 'app', doc: 'A login method became a primary user.' },
  'user.linked': { of: 'app', doc: 'A login method (details.recipeUserId) was linked to a primary user.' },
  'user.unlinked': { of: 'app', doc: 'A login method (details.recipeUserId) was parted from its primary user.' },
  'user.email-changed': { of: 'app', doc: 'The email of a login method changed.' },
  'user.phone-changed': { of: 'app', doc: 'The phone number of a login method changed.' },
  'user.metadata-changed': { of: 'app', doc: 'Metadata of a user were written.' },
  'user.metadata-removed': { of: 'app', doc: 'All metadata of a user were removed.' },
  'user.role-assigned': { of: 'tenant', doc: 'A user got a role (details.role).' },
  'user.role-removed': { of: 'tenant', doc: 'A user lost a role (details.role).' },
  'user.tenant-added': { of: 'tenant', doc: 'A user was let into the tenant.' },
  'user.tenant-removed': { of: 'tenant', doc: 'A user was taken out of the tenant.' },
  'mapping.created': { of: 'app', doc: 'A user (details.internalUserId) got the id under which callers know it.' },
  'mapping.changed': { of: 'app', doc: 'What a mapping of user ids notes was changed.' },
  'mapping.removed': { of: 'app', doc: 'A user (details.internalUserId) lost the id under which callers knew it.' },
  'password.changed': { of: 'app', doc: 'A password was set anew: details.by says how.' },
  'password.reset-token-created': { of: 'tenant', doc: 'A token was made with which a password can be reset.' },
  'password.reset-token-used': { of: 'tenant', doc: 'A token for resetting a password was used.' },
  'code.used': { of: 'tenant', doc: 'A passwordless code or link was used: details.recipe is passwordless.' },
  'totp.device-created': { of: 'app', doc: 'A TOTP device was added.' },
  'totp.device-verified': { of: 'tenant', doc: 'A TOTP device was verified, and counts from then on.' },
  'totp.device-renamed': { of: 'app', doc: 'A TOTP device got another name.' },
  'totp.device-removed': { of: 'app', doc: 'A TOTP device was removed.' },
  'passkey.registered': { of: 'tenant', doc: 'A passkey was added to a login method.' },
  'passkey.removed': { of: 'app', doc: 'A passkey was removed.' },
  'passkey.recovery-token-created': { of: 'tenant', doc: 'A token was made with which a passkey can be added.' },
  'passkey.recovery-token-used': { of: 'tenant', doc: 'A token for adding a passkey was used.' },
  'email.verified': { of: 'app', doc: 'An email of a user was verified.' },
  'email.unverified': { of: 'app', doc: 'An email of a user counts as unverified again.' },
  'role.written': { of: 'app', doc: 'A role (details.role) was made, or its permissions changed.' },
  'role.permissions-removed': { of: 'app', doc: 'A role (details.role) lost permissions.' },
  'role.removed': { of: 'app', doc: 'A role (details.role) was removed from the app and from all users.' },
  'session.revoked': { of: 'tenant', doc: 'An operator ended a session (details.session).' },
  'session.theft': { of: 'tenant', doc: 'A refresh token was used twice: the session (details.session) ended as stolen.' },
  'user.signed-out': { of: 'app', doc: 'An operator ended sessions of a user: details.sessions says how many.' },
  'sign-in.blocked': { of: 'tenant', doc: 'Failed attempts crossed a limit: details.by says which.' },
  'tenant.written': { of: 'tenant', doc: 'A tenant was made or changed: details.options names options of its configuration.' },
  'tenant.removed': { of: 'tenant', doc: 'A tenant was removed.' },
  'app.written': { of: 'app', doc: 'An app was made or changed.' },
  'app.removed': { of: 'app', doc: 'An app was removed with all that it held.' },
  'connection-uri-domain.written': { of: 'app', doc: 'A connection URI domain was made or changed.' },
  'connection-uri-domain.removed': { of: 'app', doc: 'A connection URI domain was removed.' },
  'provider.written': { of: 'tenant', doc: 'A third-party provider (details.provider) was configured.' },
  'provider.removed': { of: 'tenant', doc: 'A third-party provider (details.provider) was removed.' },
  'saml-client.written': { of: 'tenant', doc: 'A SAML client (details.client) was made or changed.' },
  'saml-client.removed': { of: 'tenant', doc: 'A SAML client (details.client) was removed.' },
  'saml-client.tested': { of: 'tenant', doc: 'A login to test a SAML client (details.client) was begun; it lets nobody in.' },
  'signing-key.created': { of: 'app', doc: 'A key that signs tokens was made (details.key), by rotation or at first need.' },
  'signing-key.retired': { of: 'app', doc: 'A signing key (details.key) was removed before its time.' },
  'api-key.created': { of: 'app', doc: 'An API key (details.name) was made.' },
  'api-key.removed': { of: 'app', doc: 'An API key (details.name) was removed.' },
  'operator.created': { of: 'app', doc: 'A user of the dashboard (details.operator) was made.' },
  'operator.changed': { of: 'app', doc: 'Email or password of a user of the dashboard (details.operator) changed.' },
  'operator.removed': { of: 'app', doc: 'A user of the dashboard (details.operator) was removed.' },
  'operator.signed-in': { of: 'app', doc: 'A user of the dashboard signed in.' },
  'operator.signed-out': { of: 'app', doc: 'A user of the dashboard signed out.' },
  'operator.granted': { of: 'app', doc: 'A user of the dashboard (details.operator) got a role on the admin page: details.role.' },
  'operator.revoked': { of: 'app', doc: 'A user of the dashboard (details.operator) lost the role on the admin page.' },
  'operator.totp-enrolled': { of: 'app', doc: 'An operator (details.operator) needs one-time codes to sign in from now on.' },
  'operator.totp-removed': { of: 'app', doc: 'An operator (details.operator) needs no one-time codes any more.' },
  'operator.sessions-ended': { of: 'app', doc: 'Sessions of an operator (details.operator) were ended: details.sessions says how many.' },
  'operator.acted': { of: 'tenant', doc: 'An operator called an endpoint that tells nothing of itself: the event says which in `via`.' },
  'configuration.reloaded': { of: 'core', doc: 'The configuration was read anew: details.options names what changed.' },
  'license.changed': { of: 'app', doc: 'The license key was set or removed; nothing depends on it.' },
  'store.migrated': { of: 'core', doc: 'Everything of another core was moved in.' },
  'store.restored': { of: 'core', doc: 'The store was made of a backup.' },
  'store.copied': { of: 'core', doc: 'The store was copied from another place.' },
  'audit.trimmed': { of: 'core', doc: 'Events up to details.upTo were removed because of their age; the trail goes on behind them.' },
  'webhook.created': { of: 'app', doc: 'A webhook (details.webhook) was made.' },
  'webhook.changed': { of: 'app', doc: 'A webhook (details.webhook) was changed: details.changed says what of it.' },
  'webhook.disabled': { of: 'app', doc: 'The core disabled a webhook (details.webhook): its target took nothing for three days.' },
  'webhook.secret-rotated': { of: 'app', doc: 'A webhook (details.webhook) got a new secret.' },
  'webhook.replayed': { of: 'app', doc: 'Events were sent to a webhook (details.webhook) once more.' },
  'webhook.removed': { of: 'app', doc: 'A webhook (details.webhook) was removed.' },
});

export type EventKind = keyof typeof KINDS;

export const EVENT_KINDS: readonly EventKind[] = Object.keys(KINDS) as EventKind[];

export const isKind = (text: string): text is EventKind => Object.hasOwn(KINDS, text);
