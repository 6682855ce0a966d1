import { type Route, route } from '../route.ts';
import { reloadConfig } from './reload-config.ts';
import { showConfig } from './show-config.ts';

/** The configuration: of the process, and of apps and tenants over it. */
export const CONFIG_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/config',
    scope: 'tenant',
    needs: 'read',
    input: undefined,
    response: 'management/show-config',
    summary: 'The options in force for a tenant, and where each value comes from; secrets are not shown',
    run: showConfig,
    view: (options) => ({ json: { status: 'OK', options: options.map((option) => ({ ...option })) } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/config/reload',
    scope: 'app',
    needs: 'all',
    input: undefined,
    response: 'management/reload-config',
    summary: 'Read the configuration of the process anew and take it over, or nothing of it where it is wrong',
    tells: ['configuration.reloaded'],
    run: reloadConfig,
    view: (reloaded) => ({ json: { ...reloaded } }),
  }),
];
