import type { Services } from '../context.ts';
import { BLOCKED_PASSWORD_TEXT } from '../email-password/refuse-blocked.ts';

/** The first fault of a trimmed dashboard password; undefined when it is strong enough (contract 05 section 5.1). */
export function passwordComplaint({ isBlockedPassword }: Pick<Services, 'isBlockedPassword'>, password: string): string | undefined {
  const weak = RULES.find(({ broken }) => broken(password))?.text;
  return weak ?? (isBlockedPassword(password) ? BLOCKED_PASSWORD_TEXT : undefined);
}

const RULES: readonly { readonly broken: (password: string) => boolean; readonly text: string }[] = [
  { broken: ({ length }) => length < 8, text: 'Password must contain at least 8 characters, including a number' },
  { broken: ({ length }) => length >= 100, text: "Password's length must be lesser than 100 characters" },
  { broken: (password) => !/[a-z]/i.test(password), text: 'Password must contain at least one alphabet' },
  { broken: (password) => !/[0-9]/.test(password), text: 'Password must contain at least one number' },
];
