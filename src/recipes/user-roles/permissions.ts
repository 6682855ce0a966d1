import { LIMITS } from '../../config/limits.ts';
import { Refusal } from '../refusal.ts';
import { trimBlanks } from '../normalise.ts';

/** Permissions as they are kept: trimmed, each once. */
export function normalisedPermissions(permissions: readonly string[] = []): string[] {
  return [...new Set(permissions.map(trimBlanks))];
}

/** Refuses lists with a blank permission (contract 05 section 2.1). */
export function refuseBlankPermissions({ permissions }: { readonly permissions?: readonly string[] | undefined }): void {
  if (!permissions?.some((permission) => trimBlanks(permission) === '')) return;
  throw new Refusal('bad-input', { text: "Field name 'permissions' cannot contain an empty string" });
}

/** Refuses, besides blank permissions, names of roles and permissions that are too long to be kept. */
export function checkNewRole(command: { readonly role: string; readonly permissions?: readonly string[] | undefined }): void {
  refuseBlankPermissions(command);
  const tooLong = (name: string): boolean => name.length > LIMITS.roleNameLength;
  const field = tooLong(command.role) ? 'role' : normalisedPermissions(command.permissions).some(tooLong) ? 'permissions' : undefined;
  if (field === undefined) return;
  throw new Refusal('bad-input', { text: `Field name '${field}' must not hold more than ${LIMITS.roleNameLength} characters` });
}

/** Refuses more permissions than one role may have. */
export function refuseTooManyPermissions(permissions: readonly string[]): void {
  if (permissions.length <= LIMITS.rolePermissions) return;
  throw new Refusal('bad-input', { text: `A role must not have more than ${LIMITS.rolePermissions} permissions` });
}
