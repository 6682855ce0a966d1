import type { Answer, Method, Route } from '../route.ts';
import { route } from '../route.ts';
import { apiVersion } from './api-version.ts';
import { configPath } from './config-path.ts';
import { featureFlags } from './feature-flags.ts';
import { hello } from './hello.ts';
import { deleteLicense, getLicense, putLicense } from './license.ts';
import { backfillProgress, migrationMode } from './migration.ts';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];
const text = (value: string): Answer => ({ text: value });
const ok = (): Answer => ({ json: { status: 'OK' } });

const helloRows = METHODS.map((method) =>
  route({
    method,
    path: '/hello',
    scope: 'app-any-tenant',
    apiKey: false,
    versionChecked: false,
    response: 'service/hello',
    summary: 'Tells that the core is alive and can read its store',
    silence: 'reads',
    run: hello,
    view: text,
  }),
);

/** The root endpoint; it gets every path that no other row takes, with the guards of contract 01 section 3.1. */
const rootRows = METHODS.map((method) =>
  route({
    method,
    path: '/',
    scope: 'root',
    apiKey: false,
    response: 'service/hello',
    summary: 'The same as /hello, on the root',
    silence: 'reads',
    run: hello,
    view: text,
  }),
);

export const ROUTES: readonly Route[] = [
  ...helloRows,
  ...rootRows,
  route({
    method: 'GET',
    path: '/apiversion',
    scope: 'app-existing-first',
    versionChecked: false,
    input: 'service/api-version',
    summary: 'The CDI versions the app speaks',
    silence: 'own-note',
    run: apiVersion,
    view: (versions) => ({ json: { versions } }),
  }),
  route({
    method: 'GET',
    path: '/config',
    scope: 'tenant',
    apiKey: false,
    input: 'service/get-config',
    summary: 'The path of the configuration file, for callers who know the process id',
    run: configPath,
    view: (path) => ({ json: path === undefined ? { status: 'NOT_ALLOWED' } : { status: 'OK', path } }),
  }),
  route({
    method: 'GET',
    path: '/telemetry',
    scope: 'app',
    response: 'service/telemetry',
    summary: 'Tells that nothing is reported anywhere',
    run: () => ({ exists: false }),
    view: (json) => ({ json }),
  }),
  route({
    method: 'GET',
    path: '/requests/stats',
    scope: 'app-existing-first',
    response: 'service/request-stats',
    summary: 'Requests per second over the last day',
    run: ({ server, tenant }) => server.requestStats(tenant.app),
    view: (stats) => ({ json: { ...stats, status: 'OK' } }),
  }),
  route({
    method: 'GET',
    path: '/ee/featureflag',
    scope: 'app-existing-first',
    response: 'service/feature-flags',
    summary: 'The features that are on, and usage',
    run: featureFlags,
    view: ({ features, monthlyActiveUsers, saml }) => ({
      json: { features, usageStats: { maus: monthlyActiveUsers, saml: { ...saml } }, status: 'OK' },
    }),
  }),
  route({
    method: 'GET',
    path: '/ee/license',
    scope: 'app',
    response: 'service/get-license',
    summary: 'The stored licence key',
    run: getLicense,
    view: (licenseKey) => ({ json: licenseKey === undefined ? { status: 'NO_LICENSE_KEY_FOUND_ERROR' } : { licenseKey, status: 'OK' } }),
  }),
  route({
    method: 'PUT',
    path: '/ee/license',
    scope: 'app',
    input: 'service/put-license',
    response: 'service/status-ok',
    summary: 'Stores a licence key',
    tells: ['license.changed'],
    run: putLicense,
    view: ok,
  }),
  route({
    method: 'DELETE',
    path: '/ee/license',
    scope: 'app',
    response: 'service/status-ok',
    summary: 'Forgets the licence key',
    tells: ['license.changed'],
    run: deleteLicense,
    view: ok,
  }),
  route({
    method: 'GET',
    path: '/migration/mode',
    scope: 'app-any-tenant',
    response: 'service/migration-mode',
    summary: 'How far the store has come to the present layout of users',
    run: migrationMode,
    view: (state) => ({ json: { status: 'OK', ...state } }),
  }),
  route({
    method: 'GET',
    path: '/migration/backfill/progress',
    scope: 'app-any-tenant',
    input: 'service/backfill-progress',
    summary: 'How many users still wait for the present layout',
    run: backfillProgress,
    view: (state) => ({ json: { status: 'OK', ...state } }),
  }),
];
