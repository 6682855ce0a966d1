import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';

/** Someone who may use the dashboard of an app (contract 05 section 1). */
export interface DashboardUserRecord {
  readonly app: AppNumber;
  /** uuid v4. */
  readonly id: string;
  /** Trimmed and in lower case. */
  readonly email: string;
  readonly passwordHash: string;
  /** ms since the epoch. */
  readonly timeJoined: number;
}

export const dashboardUsers = defineCollection({
  id: 27,
  name: 'dashboard_users',
  scope: 'app',
  format: 1,
  fields: { app: 1, id: 2, email: 3, passwordHash: 4, timeJoined: 5 },
  key: (u: DashboardUserRecord) => [u.app, u.id],
  indexes: {
    byEmail: { id: 1, unique: true, keys: (u) => [[u.app, u.email]] },
    byTimeJoined: { id: 2, keys: (u) => [[u.app, u.timeJoined]] },
  },
});

/** A session of a dashboard user. Valid while `expiresAt >= now`. */
export interface DashboardSessionRecord {
  readonly app: AppNumber;
  /** uuid v4. */
  readonly id: string;
  readonly userId: string;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const dashboardSessions = defineCollection({
  id: 28,
  name: 'dashboard_sessions',
  scope: 'app',
  format: 1,
  fields: { app: 1, id: 2, userId: 3, createdAt: 4, expiresAt: 5 },
  key: (s: DashboardSessionRecord) => [s.app, s.id],
  indexes: {
    byUser: { id: 1, keys: (s) => [[s.app, s.userId]] },
    /** A session never changes its expiry, so the index needs no buckets. */
    byExpiry: { id: 2, keys: (s) => [[s.expiresAt]] },
  },
});
