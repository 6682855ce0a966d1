import { SoftwareAuthenticator } from '../software-authenticator.ts';
import type { InProcessCore } from '../in-process-core.ts';
import { done, prepared, type Scenario } from './scenario.ts';

const PATH = '/recipe/webauthn';
const PARTY = { relyingPartyName: 'Example', relyingPartyId: 'example.com', origin: 'https://example.com', timeout: 60_000 };

interface Asked {
  readonly webauthnGeneratedOptionsId: string;
  readonly challenge: string;
}

let count = 0;
const freshEmail = (): string => `passkey-${(count += 1)}@example.com`;

/** Options whose making does not count. */
async function asked(core: InProcessCore, kind: 'register' | 'signin', email = freshEmail()): Promise<Asked> {
  const { body } = await done(core.call('POST', `${PATH}/options/${kind}`, kind === 'register' ? { ...PARTY, email } : PARTY));
  return { webauthnGeneratedOptionsId: String(body['webauthnGeneratedOptionsId']), challenge: String(body['challenge']) };
}

/** Somebody with a passkey. */
async function member(core: InProcessCore): Promise<{ readonly key: SoftwareAuthenticator; readonly recipeUserId: string }> {
  const key = new SoftwareAuthenticator();
  const options = await asked(core, 'register');
  const { webauthnGeneratedOptionsId } = options;
  const { body } = await done(core.call('POST', `${PATH}/signup`, { webauthnGeneratedOptionsId, credential: key.create(options) }));
  return { key, recipeUserId: String(body['recipeUserId']) };
}

async function token(core: InProcessCore): Promise<string> {
  const { recipeUserId: userId } = await member(core);
  const { body } = await done(core.call('POST', `${PATH}/user/recover/token`, { userId, email: 'passkey@example.com' }));
  return String(body['token']);
}

/** A call that answers OK. */
const ok = (core: InProcessCore, method: string, path: string, body?: object) => done(core.call(method, PATH + path, body));

/** The endpoints of passkeys. */
export const WEBAUTHN_ROUNDS: readonly Scenario[] = [
  {
    endpoint: `POST ${PATH}/options/register`,
    budget: 1,
    play: (core) => ok(core, 'POST', '/options/register', { ...PARTY, email: 'new@example.com' }),
  },
  { endpoint: `POST ${PATH}/options/signin`, budget: 0, play: (core) => ok(core, 'POST', '/options/signin', PARTY) },
  prepared(
    `GET ${PATH}/options`,
    1,
    (core) => asked(core, 'signin'),
    (core, _, { webauthnGeneratedOptionsId: id }) => ok(core, 'GET', `/options?webauthnGeneratedOptionsId=${id}`),
  ),
  prepared(
    `DELETE ${PATH}/options/remove`,
    1,
    (core) => asked(core, 'signin'),
    (core, _, { webauthnGeneratedOptionsId: id }) => ok(core, 'DELETE', `/options/remove?webauthnGeneratedOptionsId=${id}`),
  ),
  prepared(
    `POST ${PATH}/signup`,
    4,
    (core) => asked(core, 'register'),
    (core, _, { webauthnGeneratedOptionsId, challenge }) =>
      ok(core, 'POST', '/signup', { webauthnGeneratedOptionsId, credential: new SoftwareAuthenticator().create({ challenge }) }),
  ),
  prepared(
    `POST ${PATH}/signin`,
    5,
    async (core) => ({ ...(await member(core)), options: await asked(core, 'signin') }),
    (core, _, { key, options }) => {
      const { webauthnGeneratedOptionsId } = options;
      return ok(core, 'POST', '/signin', { webauthnGeneratedOptionsId, credential: key.get(options) });
    },
  ),
  prepared(
    `POST ${PATH}/user/credential/register`,
    5,
    async (core) => ({ ...(await member(core)), options: await asked(core, 'register') }),
    (core, _, { recipeUserId, options }) => {
      const { webauthnGeneratedOptionsId } = options;
      const credential = new SoftwareAuthenticator().create(options);
      return ok(core, 'POST', '/user/credential/register', { recipeUserId, webauthnGeneratedOptionsId, credential });
    },
  ),
  prepared(`GET ${PATH}/user/credential`, 2, member, (core, _, { recipeUserId, key }) =>
    ok(core, 'GET', `/user/credential?recipeUserId=${recipeUserId}&webauthnCredentialId=${key.id}`),
  ),
  prepared(`GET ${PATH}/user/credential/list`, 2, member, (core, _, { recipeUserId }) =>
    ok(core, 'GET', `/user/credential/list?recipeUserId=${recipeUserId}`),
  ),
  prepared(`DELETE ${PATH}/user/credential/remove`, 3, member, (core, _, { recipeUserId, key }) =>
    ok(core, 'DELETE', `/user/credential/remove?recipeUserId=${recipeUserId}&webauthnCredentialId=${key.id}`),
  ),
  prepared(`POST ${PATH}/user/recover/token`, 1, member, (core, _, { recipeUserId: userId }) =>
    ok(core, 'POST', '/user/recover/token', { userId, email: 'passkey@example.com' }),
  ),
  prepared(`GET ${PATH}/user/recover`, 4, token, (core, _, made) => ok(core, 'GET', `/user/recover?token=${made}`)),
  prepared(`POST ${PATH}/user/recover/token/consume`, 3, token, (core, _, made) =>
    ok(core, 'POST', '/user/recover/token/consume', { token: made }),
  ),
  prepared(`PUT ${PATH}/user/email`, 3, member, (core, _, { recipeUserId }) =>
    ok(core, 'PUT', '/user/email', { recipeUserId, email: freshEmail() }),
  ),
];
