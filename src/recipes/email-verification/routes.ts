import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { createVerificationToken } from './create-verification-token.ts';
import { isEmailVerified } from './is-email-verified.ts';
import { removeVerificationTokens } from './remove-verification-tokens.ts';
import { unverifyEmail } from './unverify-email.ts';
import { checkVerifyCommand, verifyEmail } from './verify-email.ts';

const ok = (): Answer => ({ json: { status: 'OK' } });

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/user/email/verify/token',
    scope: 'tenant',
    input: 'email-verification/create-verification-token',
    summary: 'Make a token that verifies an email',
    silence: 'step',
    run: createVerificationToken,
    view: (result) => ({ json: result }),
  }),
  route({
    method: 'POST',
    path: '/recipe/user/email/verify',
    scope: 'tenant',
    input: 'email-verification/verify-email',
    summary: 'Verify an email with a token',
    tells: ['email.verified'],
    early: checkVerifyCommand,
    run: verifyEmail,
    view: (result) => ({ json: result }),
  }),
  route({
    method: 'GET',
    path: '/recipe/user/email/verify',
    scope: 'app',
    input: 'email-verification/is-email-verified',
    summary: 'Whether a user has verified an email',
    run: isEmailVerified,
    view: (isVerified) => ({ json: { status: 'OK', isVerified } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/user/email/verify/token/remove',
    scope: 'tenant',
    input: 'email-verification/remove-verification-tokens',
    response: 'service/status-ok',
    summary: 'Revoke the tokens that would verify an email',
    silence: 'step',
    run: removeVerificationTokens,
    view: ok,
  }),
  route({
    method: 'POST',
    path: '/recipe/user/email/verify/remove',
    scope: 'app',
    input: 'email-verification/unverify-email',
    response: 'service/status-ok',
    summary: 'Let an email count as unverified',
    tells: ['email.unverified'],
    run: unverifyEmail,
    view: ok,
  }),
];
