import { type Route, route } from '../route.ts';
import { listTenantsOfCore } from './list-tenants.ts';

/** Tenants, as who may see no secrets sees them. */
export const TENANT_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/tenants',
    scope: 'none',
    needs: 'read',
    input: 'management/list-tenants',
    summary: 'The apps and tenants of the core without their secrets, page by page',
    run: listTenantsOfCore,
    view: ({ tenants, nextPaginationToken }) => ({
      json: {
        status: 'OK',
        tenants: tenants.map(({ enabledRecipes, providers, ...tenant }) => ({
          ...tenant,
          enabledRecipes: { ...enabledRecipes },
          providers: providers.map((provider) => ({ ...provider })),
        })),
        nextPaginationToken,
      },
    }),
  }),
];
