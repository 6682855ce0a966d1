import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';
import type { OperatorRole } from './roles.ts';

/** What makes the one-time codes of an operator. */
export interface OperatorTotp {
  /** Base32. */
  readonly secret: string;
  /** ms since the epoch */
  readonly createdAt: number;
  /** Of the last code that was taken: neither it nor an older one is taken again. */
  readonly lastStep: number;
}

/** A dashboard user who may use the admin page. */
export interface OperatorRecord {
  readonly app: AppNumber;
  /** Of the dashboard user. */
  readonly userId: string;
  readonly role: OperatorRole;
  /** ms since the epoch */
  readonly grantedAt: number;
  readonly totp?: OperatorTotp;
  /** Shown, and not yet proven by a code. */
  readonly newTotp?: Omit<OperatorTotp, 'lastStep'>;
}

export const operators = defineCollection({
  id: 94,
  name: 'operators',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, role: 3, grantedAt: 4, totp: 5, newTotp: 6 },
  key: (o: OperatorRecord) => [o.app, o.userId],
});

/** An operator's session in a browser. Times are ms since the epoch. */
export interface OperatorSessionRecord {
  readonly app: AppNumber;
  /** SHA-256 of what the cookie holds, base64url; that itself is known to the browser alone. */
  readonly digest: string;
  /** By which it is shown and ended. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  /** To about a minute. */
  readonly usedAt: number;
  /** However much it is used. */
  readonly expiresAt: number;
  /** Where it began. */
  readonly address: string;
}

export const operatorSessions = defineCollection({
  id: 95,
  name: 'operator_sessions',
  scope: 'app',
  format: 1,
  fields: { app: 1, digest: 2, id: 3, userId: 4, createdAt: 5, usedAt: 6, expiresAt: 7, address: 8 },
  key: (s: OperatorSessionRecord) => [s.app, s.digest],
  indexes: {
    byUser: { id: 1, keys: (s) => [[s.app, s.userId]] },
    /** A session never changes its expiry, so the index needs no buckets. */
    byExpiry: { id: 2, keys: (s) => [[s.expiresAt]] },
  },
});
