import { type Answer, type Route, route } from '../route.ts';
import { checkCode } from './check-code.ts';
import { consumeCode } from './consume-code.ts';
import { checkCreateCode, createCode } from './create-code.ts';
import { checkGetUser, getUser } from './get-user.ts';
import { checkListCodes, listCodes } from './list-codes.ts';
import { checkProofCommand } from './prove-code.ts';
import { checkRemoveCode, removeCode } from './remove-code.ts';
import { checkRemoveCodes, removeCodes } from './remove-codes.ts';
import { updateUser } from './update-user.ts';
import { checkedView, consumedView, devicesView, foundUserView } from './views.ts';

const ok = (): Answer => ({ json: { status: 'OK' } });

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/signinup/code',
    scope: 'tenant',
    input: 'passwordless/create-code',
    summary: 'Make a passwordless code, for a new device or one more for a known device',
    silence: 'step',
    early: checkCreateCode,
    run: createCode,
    view: (result) => ({ json: { ...result } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/signinup/code/consume',
    scope: 'tenant',
    input: 'passwordless/consume-code',
    summary: 'Sign in or up with a passwordless code',
    tells: ['user.created', 'email.verified', 'code.used', 'sign-in.blocked'],
    early: checkProofCommand,
    run: consumeCode,
    tallies: 'passwordless',
    counts: (result) => (result.status !== 'OK' ? 'signInFailures' : result.createdNewUser ? 'signUps' : 'signIns'),
    view: consumedView,
  }),
  route({
    method: 'POST',
    path: '/recipe/signinup/code/check',
    scope: 'tenant',
    input: 'passwordless/consume-code',
    response: 'passwordless/check-code',
    summary: 'Check a passwordless code without using it up',
    tells: ['sign-in.blocked'],
    silence: 'step',
    early: checkProofCommand,
    run: checkCode,
    view: checkedView,
  }),
  route({
    method: 'GET',
    path: '/recipe/signinup/codes',
    scope: 'tenant',
    input: 'passwordless/list-codes',
    summary: 'Passwordless devices with their codes',
    early: checkListCodes,
    run: listCodes,
    view: devicesView,
  }),
  route({
    method: 'POST',
    path: '/recipe/signinup/codes/remove',
    scope: 'tenant',
    input: 'passwordless/remove-codes',
    response: 'service/status-ok',
    summary: 'Remove the passwordless devices of an email or phone number',
    silence: 'step',
    early: checkRemoveCodes,
    run: removeCodes,
    view: ok,
  }),
  route({
    method: 'POST',
    path: '/recipe/signinup/code/remove',
    scope: 'tenant',
    input: 'passwordless/remove-code',
    response: 'service/status-ok',
    summary: 'Remove a passwordless code or device',
    silence: 'step',
    early: checkRemoveCode,
    run: removeCode,
    view: ok,
  }),
  route({
    method: 'GET',
    path: '/recipe/user',
    rid: 'passwordless',
    scope: 'verb',
    input: 'passwordless/get-user',
    summary: 'A passwordless user by id, email or phone number',
    isDeprecated: true,
    early: checkGetUser,
    run: getUser,
    view: foundUserView,
  }),
  route({
    method: 'PUT',
    path: '/recipe/user',
    rid: 'passwordless',
    scope: 'app',
    input: 'passwordless/update-user',
    summary: 'Change or clear the email or phone number of a passwordless login',
    tells: ['user.email-changed', 'user.phone-changed'],
    run: updateUser,
    view: (result) => ({ json: { ...result } }),
  }),
];
