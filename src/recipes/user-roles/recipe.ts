import { MINUTE_MS, type Recipe } from '../recipe.ts';
import { exportRoles } from './export-roles.ts';
import { purgeRemovedRoles } from './purge-removed-roles.ts';
import { areRolesUsed, removeRolesInTenant, removeRolesOfUser } from './roles-of-user.ts';
import { roles, assignments, removedRoles } from './records.ts';

export const userRolesRecipe: Recipe = {
  collections: [roles, assignments, removedRoles],
  routes: () => import('./routes.ts'),
  jobs: [{ name: 'removed-roles', everyMs: MINUTE_MS, run: ({ store }, limit) => purgeRemovedRoles(store, limit) }],
  userData: {
    byId: {
      use: { name: 'UserRoles', isUsed: areRolesUsed },
      remove: removeRolesOfUser,
      removeInTenant: removeRolesInTenant,
      export: exportRoles,
    },
  },
};
