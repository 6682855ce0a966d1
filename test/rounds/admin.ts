import type { InProcessCore } from '../in-process-core.ts';
import { totpCode } from '../totp-code.ts';
import { done, prepared, type Scenario } from './scenario.ts';

const OWN = '/manage/v1/operator';
const OPERATORS = '/manage/v1/operators';
const PASSWORD = 'a good password 1';
/** What a browser sends with a request of the page. */
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** An operator, with what the browser sends for who is signed in. */
interface Operator {
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function operator(core: InProcessCore): Promise<string> {
  const email = `operator-${Math.random()}@example.com`;
  await done(core.call('POST', `${OPERATORS}/add`, { email, password: PASSWORD, role: 'admin' }), { status: 'OK' });
  return email;
}

async function signedIn(core: InProcessCore): Promise<Operator> {
  const email = await operator(core);
  const { body, cookie = '' } = await core.call('POST', `${OWN}/sign-in`, { email, password: PASSWORD }, { headers: SAME_ORIGIN });
  const headers = { ...SAME_ORIGIN, cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': String(body['csrfToken']) };
  return { email, headers };
}

const codeOf = (core: InProcessCore, secret: unknown, laterMs = 0): string =>
  totpCode({ secret: String(secret), period: 30, skew: 1 }, core.clock.now + laterMs);

async function enrolling(core: InProcessCore): Promise<Operator & { readonly secret: unknown }> {
  const one = await signedIn(core);
  const { body } = await core.call('POST', `${OWN}/totp`, { password: PASSWORD }, one);
  return { ...one, secret: body['secret'] };
}

async function enrolled(core: InProcessCore): Promise<Operator & { readonly secret: unknown }> {
  const one = await enrolling(core);
  const { body, cookie = '' } = await core.call('POST', `${OWN}/totp/verify`, { totp: codeOf(core, one.secret) }, one);
  const headers = { ...one.headers, cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': String(body['csrfToken']) };
  return { ...one, headers };
}

/** A call by an operator in a browser, which must do what it is called for. */
function inBrowser(budget: number, method: string, path: string, body?: object): Scenario {
  return prepared(`${method} ${OWN}${path}`, budget, signedIn, (core, _made, one) =>
    done(core.call(method, OWN + path, body, one), { status: 'OK' }),
  );
}

/** A call about an operator by who has a key. */
function about(budget: number, path: string, body: object, ready: (core: InProcessCore) => Promise<Operator> = signedIn): Scenario {
  return prepared(`POST ${OPERATORS}${path}`, budget, ready, (core, _made, { email }) =>
    done(core.call('POST', OPERATORS + path, { email, ...body }), { status: 'OK' }),
  );
}

/** Operators and their sessions in browsers. */
export const ADMIN_ROUNDS: readonly Scenario[] = [
  inBrowser(4, 'GET', ''),
  prepared(`POST ${OWN}/sign-in`, 9, operator, (core, _made, email) =>
    done(core.call('POST', `${OWN}/sign-in`, { email, password: PASSWORD }, { headers: SAME_ORIGIN }), { status: 'OK' }),
  ),
  inBrowser(4, 'POST', '/sign-out'),
  inBrowser(4, 'GET', '/sessions'),
  prepared(`POST ${OWN}/sessions/end`, 6, signedIn, async (core, _made, one) => {
    const other = await core.call('POST', `${OWN}/sign-in`, { email: one.email, password: PASSWORD }, { headers: SAME_ORIGIN });
    core.takeRounds();
    return done(core.call('POST', `${OWN}/sessions/end`, {}, one), { status: other.body['status'], ended: 1 });
  }),
  inBrowser(16, 'POST', '/password', { password: PASSWORD, newPassword: 'another password 2' }),
  inBrowser(10, 'POST', '/totp', { password: PASSWORD }),
  prepared(`POST ${OWN}/totp/verify`, 12, enrolling, (core, _made, one) =>
    done(core.call('POST', `${OWN}/totp/verify`, { totp: codeOf(core, one.secret) }, one), { status: 'OK' }),
  ),
  prepared(`POST ${OWN}/totp/remove`, 16, enrolled, (core, _made, one) =>
    done(core.call('POST', `${OWN}/totp/remove`, { password: PASSWORD, totp: codeOf(core, one.secret, 30_000) }, one), { status: 'OK' }),
  ),
  prepared(`GET ${OPERATORS}`, 3, signedIn, (core) => core.call('GET', OPERATORS)),
  {
    endpoint: `POST ${OPERATORS}/add`,
    budget: 4,
    play: (core) =>
      done(core.call('POST', `${OPERATORS}/add`, { email: `new-${Math.random()}@example.com`, password: PASSWORD, role: 'viewer' }), {
        status: 'OK',
      }),
  },
  about(5, '/grant', { role: 'viewer' }),
  about(5, '/revoke', {}),
  about(5, '/sessions/end', {}),
  about(5, '/totp/remove', {}, enrolled),
];
