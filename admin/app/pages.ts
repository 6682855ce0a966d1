import type { ComponentType } from 'preact';
import { TEXTS } from '../texts.ts';
import { can, type Scope } from './session.ts';

/** A page of the admin page: in the menu, in the palette, and by `g` and its letter. */
export interface PageEntry {
  /** In the address after `#/`. */
  readonly path: string;
  readonly title: string;
  /** What an operator needs to see it. */
  readonly scope: Scope;
  /** Follows `g`. */
  readonly letter: string;
  /** Pages come when somebody opens them, so that the first one comes quickly. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** The page of one item: `#/users/ID`. */
  readonly loadItem?: () => Promise<{ readonly default: ComponentType<{ readonly item: string }> }>;
}

/** In the order of the menu; the first one is where the admin page opens. */
export const PAGES: readonly PageEntry[] = [
  {
    path: 'users',
    title: TEXTS.users.title,
    scope: 'read',
    letter: 'u',
    load: () => import('../pages/users.tsx'),
    loadItem: () => import('../pages/user.tsx'),
  },
  {
    path: 'sessions',
    title: TEXTS.sessions.title,
    scope: 'read',
    letter: 's',
    load: () => import('../pages/sessions.tsx'),
  },
  {
    path: 'overview',
    title: TEXTS.overview.title,
    scope: 'read',
    letter: 'o',
    load: () => import('../pages/overview.tsx'),
  },
  {
    path: 'tenants',
    title: TEXTS.tenants.title,
    scope: 'read',
    letter: 't',
    load: () => import('../pages/tenants.tsx'),
    loadItem: () => import('../pages/tenant.tsx'),
  },
  {
    path: 'saml',
    title: TEXTS.saml.title,
    scope: 'read',
    letter: 'l',
    load: () => import('../pages/saml.tsx'),
    loadItem: () => import('../pages/saml-client.tsx'),
  },
  {
    path: 'audit',
    title: TEXTS.audit.title,
    scope: 'read',
    letter: 'a',
    load: () => import('../pages/audit.tsx'),
  },
  {
    path: 'roles',
    title: TEXTS.roles.title,
    scope: 'read',
    letter: 'r',
    load: () => import('../pages/roles.tsx'),
    loadItem: () => import('../pages/role.tsx'),
  },
  {
    path: 'keys',
    title: TEXTS.keys.title,
    scope: 'read',
    letter: 'k',
    load: () => import('../pages/keys.tsx'),
  },
  {
    path: 'imports',
    title: TEXTS.imports.title,
    scope: 'read',
    letter: 'i',
    load: () => import('../pages/imports.tsx'),
  },
  {
    path: 'backups',
    title: TEXTS.backups.title,
    scope: 'read',
    letter: 'b',
    load: () => import('../pages/backups.tsx'),
  },
  {
    path: 'webhooks',
    title: TEXTS.webhooks.title,
    scope: 'read',
    letter: 'w',
    load: () => import('../pages/webhooks.tsx'),
    loadItem: () => import('../pages/webhook.tsx'),
  },
  {
    path: 'operators',
    title: TEXTS.operators.title,
    scope: 'all',
    letter: 'p',
    load: () => import('../pages/operators.tsx'),
  },
];

/** Those that the operator's role opens. */
export const openPages = (): readonly PageEntry[] => PAGES.filter(({ scope }) => can(scope));
