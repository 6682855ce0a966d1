import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const PATH = '/recipe/multitenancy/config/thirdparty';

let core: InProcessCore;
beforeEach(async () => {
  core = await openInProcessCore('5.4');
  await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
});

const put = async (config: unknown, more: object = {}, tenant = 't1') => {
  const { status, body } = await core.call('PUT', `/${tenant}${PATH}`, { config, ...more });
  return status === 200 ? body : `${status}: ${String(body['text']).trimEnd()}`;
};
const remove = async (thirdPartyId: unknown) => (await core.call('POST', `/t1${PATH}/remove`, { thirdPartyId })).body;
const providers = async (tenant = 't1') => {
  const { body } = await core.call('GET', `/${tenant}/recipe/multitenancy/tenant/v2`);
  return (body['thirdParty'] as { providers: { thirdPartyId: string }[] }).providers;
};
const invalid = (text: string) => `400: Invalid third party config: ${text}`;
const field = (name: string) => `400: Field name '${name}' is invalid in JSON input`;
const MAP = { fromIdTokenPayload: {}, fromUserInfoAPI: {} };

describe('a provider', () => {
  test('comes back as it was meant', async () => {
    const client = { clientType: 'web', clientId: 'c1', scope: ['b', 'a'], additionalConfig: { x: null, y: { z: null, w: 1 }, l: [null] } };
    const config = {
      thirdPartyId: ' google ',
      name: 'G',
      clients: [client, { clientId: 'c0', clientType: '' }],
      authorizationEndpoint: 'https://a',
      authorizationEndpointQueryParams: { k: null, j: 'v' },
      requireEmail: false,
      tokenEndpoint: null,
      userInfoMap: { fromIdTokenPayload: { userId: 'sub', unknown: 'x' } },
      unknown: true,
    };
    expect(await put(config)).toEqual({ status: 'OK', createdNew: true });
    expect(await providers()).toEqual([
      {
        thirdPartyId: 'google',
        name: 'G',
        clients: [{ clientId: 'c0' }, { ...client, additionalConfig: { y: { w: 1 }, l: [null] } }],
        authorizationEndpoint: 'https://a',
        authorizationEndpointQueryParams: { k: null, j: 'v' },
        requireEmail: false,
        userInfoMap: { fromIdTokenPayload: { userId: 'sub' }, fromUserInfoAPI: {} },
      },
    ]);
    expect(await providers('public')).toEqual([]);
  });

  test('is replaced as a whole, beside others, and removed', async () => {
    await put({ thirdPartyId: 'google', name: 'G' });
    await put({ thirdPartyId: 'custom' });
    expect(await put({ thirdPartyId: 'google' })).toEqual({ status: 'OK', createdNew: false });
    expect(await providers()).toEqual([
      { thirdPartyId: 'custom', clients: [], userInfoMap: MAP },
      { thirdPartyId: 'google', clients: [], userInfoMap: MAP },
    ]);
    expect(await remove(' google ')).toEqual({ status: 'OK', didConfigExist: true });
    expect(await remove('google')).toEqual({ status: 'OK', didConfigExist: false });
    expect((await providers()).map(({ thirdPartyId }) => thirdPartyId)).toEqual(['custom']);
  });

  test('of twenty made at once each is kept, and one is new', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => put({ thirdPartyId: n % 2 ? 'same' : `p${n}` })));
    expect(answers.filter((answer) => typeof answer === 'object' && answer['createdNew'])).toHaveLength(11);
    expect(await providers()).toHaveLength(11);
  });
});

describe('what is refused', () => {
  test.each([
    [undefined, {}, field('config')],
    ['text', {}, field('config')],
    [{}, {}, field('thirdPartyId')],
    [{ thirdPartyId: 4 }, {}, field('thirdPartyId')],
    [{ thirdPartyId: 'x' }, { skipValidation: 'q' }, field('skipValidation')],
    [{ thirdPartyId: ' ' }, {}, invalid('thirdPartyId cannot be null or empty')],
    [{ thirdPartyId: 'x', name: 5 }, {}, field('name')],
    [{ thirdPartyId: 'x', clients: [5] }, {}, field('clients')],
    [{ thirdPartyId: 'x', clients: [{ clientId: 'a', scope: 'b' }] }, {}, field('scope')],
    [{ thirdPartyId: 'x', userInfoMap: { fromUserInfoAPI: { email: 1 } } }, {}, field('email')],
    [{ thirdPartyId: 'x', clients: [{}] }, {}, invalid('clientId cannot be null')],
    [{ thirdPartyId: 'x', clients: [{ clientId: 'a', scope: [null] }] }, {}, invalid('scope array cannot contain a null')],
    [
      { thirdPartyId: 'x', clients: [{ clientId: 'a' }, { clientId: 'b', clientType: '' }] },
      { skipValidation: true },
      invalid('Duplicate clientType was specified in the clients list.'),
    ],
    [
      { thirdPartyId: 'apple-2', clients: [{ clientId: 'a', additionalConfig: { keyId: 'k', teamId: 't', privateKey: '' } }] },
      {},
      invalid('a non empty string value must be specified for keyId, teamId and privateKey in the additionalConfig for Apple provider'),
    ],
    [
      { thirdPartyId: 'google-workspaces', clients: [{ clientId: 'a', additionalConfig: { hd: 4 } }] },
      {},
      invalid('hd in additionalConfig must be a non empty string value'),
    ],
    [
      { thirdPartyId: 'boxy-saml', clients: [{ clientId: 'a', additionalConfig: { boxyURL: '' } }] },
      {},
      invalid('a non empty string value must be specified for boxyURL in the additionalConfig for Boxy SAML provider'),
    ],
  ])('%j %j', async (config, more, answer) => {
    expect(await put(config, more)).toBe(answer);
    expect(await providers()).toEqual([]);
  });

  test('a list of one text is an id, as for every text', async () => {
    expect(await put({ thirdPartyId: [' custom '] })).toEqual({ status: 'OK', createdNew: true });
    expect((await providers())[0]).toMatchObject({ thirdPartyId: 'custom' });
    expect(await put({ thirdPartyId: ['a', 'b'] })).toBe(field('thirdPartyId'));
  });

  test('a missing id comes before a missing tenant, other faults after it', async () => {
    expect(await put({}, {}, 'ghost')).toBe(field('thirdPartyId'));
    expect(await put({ thirdPartyId: 'x', name: 5 }, {}, 'ghost')).toMatch(/^400: AppId or tenantId not found/);
  });

  test('an unfit one that was let in blocks others, and goes itself', async () => {
    const unfit = { thirdPartyId: 'apple', clients: [{ clientId: 'a' }] };
    expect(await put(unfit, { skipValidation: true })).toEqual({ status: 'OK', createdNew: true });
    const complaint = invalid(
      'a non empty string value must be specified for keyId, teamId and privateKey in the additionalConfig for Apple provider',
    );
    expect(await put({ thirdPartyId: 'google' })).toBe(complaint);
    expect(await remove('google')).toEqual({ text: `${complaint.slice(5)}\n` });
    const update = await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    expect(update.body['text']).toBe(`${complaint.slice(5)}\n`);
    expect(await remove('apple')).toEqual({ status: 'OK', didConfigExist: true });
    expect(await put({ thirdPartyId: 'google' })).toEqual({ status: 'OK', createdNew: true });
  });
});
