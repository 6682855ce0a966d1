import type { Context } from '../context.ts';
import { type Answer, type Route, route } from '../route.ts';
import type { User } from '../users/user.ts';
import { fullUserView } from '../users/views.ts';
import { checkLink, linkAccounts } from './link.ts';
import { checkPrimary, makePrimaryUser } from './make-primary.ts';
import { unlinkAccount } from './unlink.ts';

/** Users are whole in every version that asks (contract 01 section 8.1). */
function withUser(result: { readonly status: string; readonly user?: User }, { traits }: Context): Answer {
  const { user, ...members } = result;
  return { json: { ...members, user: user && fullUserView(user, traits.webauthnInUsers) } };
}

const asItIs = (result: { readonly status: string }): Answer => ({ json: { ...result } });

export const ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/recipe/accountlinking/user/primary/check',
    scope: 'app',
    input: 'account-linking/check-primary',
    summary: 'Whether a login method could become a primary user',
    run: checkPrimary,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/recipe/accountlinking/user/primary',
    scope: 'app',
    input: 'account-linking/make-primary',
    summary: 'Make a login method a primary user',
    tells: ['user.made-primary'],
    run: makePrimaryUser,
    view: withUser,
  }),
  route({
    method: 'GET',
    path: '/recipe/accountlinking/user/link/check',
    scope: 'app',
    input: 'account-linking/check-link',
    summary: 'Whether a login method could be linked to a primary user',
    run: checkLink,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/recipe/accountlinking/user/link',
    scope: 'app',
    input: 'account-linking/link',
    summary: 'Link a login method to a primary user',
    tells: ['user.linked'],
    run: linkAccounts,
    view: withUser,
  }),
  route({
    method: 'POST',
    path: '/recipe/accountlinking/user/unlink',
    scope: 'app',
    input: 'account-linking/unlink',
    summary: 'Take a login method out of its user',
    tells: ['user.unlinked'],
    run: unlinkAccount,
    view: (unlinked) => ({ json: { status: 'OK', ...unlinked } }),
  }),
];
