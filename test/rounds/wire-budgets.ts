/* What endpoints cost on the wire beside their budgets of reads. */

/** Commits of calls that do not make exactly one, as other than GET do. */
const COMMITS: Readonly<Record<string, number>> = {
  // It begins a login, which is kept.
  'GET /recipe/saml/legacy/authorize': 1,
  // What was prepared for it may be ending still.
  'GET /recipe/saml/legacy/userinfo': 1,
  // The failures that count against the limit are noted before and taken back after.
  'POST /recipe/dashboard/signin': 3,
  'POST /manage/v1/api-keys': 3,
  // It changes nothing.
  'POST /manage/v1/webhooks/test': 0,
  'POST /manage/v1/saml/test/response': 0,
  // What is queued bears the time of the database, which is asked for.
  'POST /bulk-import/users': 2,
  // The tenants of an app go first.
  'POST /recipe/multitenancy/app/remove': 4,
  'POST /recipe/multitenancy/connectionuridomain/remove': 4,
};

/** How many commits a call may make, each of which is one round trip. */
export const commitsOf = (endpoint: string): number => COMMITS[endpoint] ?? (endpoint.startsWith('GET ') ? 0 : 1);

/** Round trips, and snapshots, which hold a connection from their first read to their end. */
export interface Cost {
  readonly rounds: number;
  readonly snapshots: number;
}

/** What the calls of every sign-in and every request cost in all. */
export const KEY_ENDPOINTS: Readonly<Record<string, Cost>> = {
  'POST /recipe/session': { rounds: 2, snapshots: 0 },
  'POST /recipe/session/verify': { rounds: 0, snapshots: 0 },
  'POST /recipe/session/verify with checkDatabase': { rounds: 1, snapshots: 0 },
  'POST /recipe/session/refresh': { rounds: 1, snapshots: 0 },
  'POST /recipe/session/remove': { rounds: 2, snapshots: 0 },
  'POST /recipe/signup': { rounds: 3, snapshots: 1 },
  'POST /recipe/signin': { rounds: 2, snapshots: 1 },
  'PUT /recipe/user/metadata': { rounds: 2, snapshots: 0 },
  'PUT /recipe/role': { rounds: 2, snapshots: 0 },
};
