import type { Bound, Group } from './command.ts';

/** A word behind `watchword`. */
interface Entry {
  /** One line for the list of commands. */
  readonly about: string;
  /** Commands are loaded when they are asked for. */
  readonly load: () => Promise<Bound | Group>;
}

/** Every command, in the order of the help. `start` is the program itself and never loads this. */
export const GROUPS: Readonly<Record<string, Entry>> = {
  start: { about: 'serve (the default)', load: async () => (await import('./start.ts')).START },
  user: { about: 'users: find, show, create, disable, enable, remove, sign out, unlock, …', load: () => import('./users.ts') },
  session: { about: 'sessions: show, revoke', load: () => import('./sessions.ts') },
  app: { about: 'apps: list, show, put, remove', load: async () => ({ commands: (await import('./tenants.ts')).APP_COMMANDS }) },
  tenant: { about: 'tenants: list, show, put, remove', load: async () => ({ commands: (await import('./tenants.ts')).TENANT_COMMANDS }) },
  role: { about: 'roles: list, show, put, remove, assign, unassign', load: () => import('./roles.ts') },
  saml: { about: 'SAML clients: clients, add, test', load: () => import('./saml.ts') },
  keys: { about: 'signing keys: list, rotate, retire', load: () => import('./keys.ts') },
  'api-key': { about: 'API keys: list, add, remove', load: () => import('./api-keys.ts') },
  webhook: { about: 'webhooks: list, add, update, rotate, deliveries, replay, test, …', load: () => import('./webhooks.ts') },
  operator: { about: 'who can sign in to the admin page: list, show, add, grant, revoke, …', load: () => import('./operators.ts') },
  config: { about: 'configuration: check, show, sample, reload', load: () => import('./config.ts') },
  blocklist: { about: 'passwords that nobody may choose: build, check', load: () => import('./blocklist.ts') },
  import: { about: 'import users from a file', load: async () => (await import('./import.ts')).IMPORT_COMMAND },
  export: {
    about: 'write the users of an app in the format that import reads',
    load: async () => (await import('./export.ts')).EXPORT_COMMAND,
  },
  migrate: { about: 'move everything from a SuperTokens core', load: async () => (await import('./migrate.ts')).MIGRATE_COMMAND },
  backup: { about: 'back up the whole store', load: async () => (await import('./backup.ts')).BACKUP_COMMAND },
  restore: { about: 'make a data folder of a backup, or check one', load: async () => (await import('./restore.ts')).RESTORE_COMMAND },
  copy: {
    about: 'copy a whole store to another place: a folder to a database, or back',
    load: async () => (await import('./copy.ts')).COPY_COMMAND,
  },
  audit: { about: 'the audit trail: show, follow, verify', load: async () => (await import('./audit.ts')).AUDIT_COMMAND },
  doctor: { about: 'look at configuration, machine and store', load: async () => (await import('./doctor.ts')).DOCTOR_COMMAND },
  version: { about: 'print the version', load: async () => (await import('./version.ts')).VERSION },
};
