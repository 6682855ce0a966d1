import { listSigningKeys } from '../signing-keys/operate.ts';
import { listApiKeys } from '../tenants/keep-api-keys.ts';
import { type Route, route } from '../route.ts';
import { addApiKeyOf } from './add-api-key.ts';
import { removeApiKeyOf } from './remove-api-key.ts';
import { retireKey } from './retire-key.ts';
import { rotateKey } from './rotate-key.ts';

/** API keys and signing keys of an app. */
export const KEY_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/api-keys',
    scope: 'app',
    needs: 'keys',
    input: undefined,
    response: 'management/list-api-keys',
    summary: 'The API keys of an app beside those of its configuration, without the keys themselves',
    run: ({ store, tenant }) => store.read((reader) => listApiKeys(reader, tenant)),
    view: (apiKeys, { tenant }) => ({
      json: { status: 'OK', apiKeys: apiKeys.map((key) => ({ ...key })), inConfiguration: tenant.appConfig.api_keys?.length ?? 0 },
    }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/api-keys',
    scope: 'app',
    needs: 'keys',
    input: 'management/add-api-key',
    summary: 'Make an API key; it is shown this once',
    tells: ['api-key.created'],
    run: addApiKeyOf,
    view: (added) => ({ json: { ...added } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/api-keys/remove',
    scope: 'app',
    needs: 'keys',
    input: 'management/remove-api-key',
    summary: 'Remove an API key, which opens nothing from then on',
    tells: ['api-key.removed'],
    run: removeApiKeyOf,
    view: (didExist) => ({ json: { status: 'OK', didExist } }),
  }),
  route({
    method: 'GET',
    path: '/manage/v1/signing-keys',
    scope: 'app',
    needs: 'read',
    input: undefined,
    response: 'management/list-signing-keys',
    summary: 'The keys that sign or verify the tokens of an app',
    run: (context) => listSigningKeys(context, context.tenant),
    view: (keys) => ({ json: { status: 'OK', keys: keys.map((key) => ({ ...key })) } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/signing-keys/rotate',
    scope: 'app',
    needs: 'keys',
    input: 'management/rotate-key',
    summary: 'Make a new signing key, which signs once verifiers had a minute to fetch it',
    tells: ['signing-key.created'],
    run: rotateKey,
    view: (kid) => ({ json: { status: 'OK', kid } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/signing-keys/retire',
    scope: 'app',
    needs: 'keys',
    input: 'management/retire-key',
    summary: 'Remove a signing key now; the answer says what that breaks',
    tells: ['signing-key.retired'],
    run: retireKey,
    view: (retired) => ({ json: { ...retired } }),
  }),
];
