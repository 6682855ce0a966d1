import type { Scenario } from './scenario.ts';

/** The endpoints of the core itself. */
export const CORE_ROUNDS: readonly Scenario[] = [
  ...['GET', 'POST', 'PUT', 'DELETE'].flatMap((method): Scenario[] => [
    { endpoint: `${method} /hello`, budget: 1, play: (core) => core.call(method, '/hello') },
    { endpoint: `${method} /`, budget: 1, play: (core) => core.call(method, '/') },
  ]),
  { endpoint: 'GET /apiversion', budget: 0, play: (core) => core.call('GET', '/apiversion') },
  { endpoint: 'GET /config', budget: 0, play: (core) => core.call('GET', '/config?pid=1') },
  { endpoint: 'GET /telemetry', budget: 0, play: (core) => core.call('GET', '/telemetry') },
  { endpoint: 'GET /ee/featureflag', budget: 1, play: (core) => core.call('GET', '/ee/featureflag') },
  { endpoint: 'GET /ee/license', budget: 1, play: (core) => core.call('GET', '/ee/license') },
  { endpoint: 'PUT /ee/license', budget: 1, play: (core) => core.call('PUT', '/ee/license', { licenseKey: 'k' }) },
  { endpoint: 'DELETE /ee/license', budget: 1, play: (core) => core.call('DELETE', '/ee/license') },
  { endpoint: 'GET /migration/mode', budget: 1, play: (core) => core.call('GET', '/migration/mode') },
  { endpoint: 'GET /migration/backfill/progress', budget: 1, play: (core) => core.call('GET', '/migration/backfill/progress') },
];
