import type { InProcessCallOptions, InProcessCore } from '../../in-process-core.ts';
import { SoftwareAuthenticator } from '../../software-authenticator.ts';
import { checkedCall } from '../checked-answers.ts';

/** An answer: its members, or the text of a refusal as `text`. */
export interface PasskeyAnswer {
  readonly status: string;
  readonly [member: string]: unknown;
}

export const ORIGIN = 'https://example.com';
export const RELYING_PARTY = 'example.com';

/** What an answer to options to register holds that tests look at. */
export type Options = PasskeyAnswer & { readonly challenge: string; readonly webauthnGeneratedOptionsId: string };

/** Somebody with a passkey. */
export interface Member {
  readonly key: SoftwareAuthenticator;
  readonly recipeUserId: string;
  readonly email: string;
}

const PATH = '/recipe/webauthn';

/** How a call differs from a plain one. */
export interface PasskeyCallOptions extends InProcessCallOptions {
  readonly tenant?: string;
}

/** The WebAuthn endpoints of a core. */
export class PasskeyCalls {
  readonly core: InProcessCore;
  constructor(core: InProcessCore) {
    this.core = core;
  }

  /** @param path below `/recipe/webauthn` */
  async call(method: string, path: string, body?: object, { tenant = '', ...options }: PasskeyCallOptions = {}): Promise<PasskeyAnswer> {
    const answer = await checkedCall(this.core, method, `${tenant}${PATH}${path}`, body, options);
    return { status: String(answer.status), ...answer.body };
  }

  get(path: string, query: Readonly<Record<string, string>>, options?: PasskeyCallOptions): Promise<PasskeyAnswer> {
    return this.call('GET', `${path}?${new URLSearchParams(query).toString()}`, undefined, options);
  }

  delete(path: string, query: Readonly<Record<string, string>>, options?: PasskeyCallOptions): Promise<PasskeyAnswer> {
    return this.call('DELETE', `${path}?${new URLSearchParams(query).toString()}`, undefined, options);
  }

  post(path: string, body: object, options?: PasskeyCallOptions): Promise<PasskeyAnswer> {
    return this.call('POST', path, body, options);
  }

  async registerOptions(more: object = {}, options?: PasskeyCallOptions): Promise<Options> {
    const asked = { email: 'a@x', relyingPartyName: 'Example', relyingPartyId: RELYING_PARTY, origin: ORIGIN, timeout: 60_000, ...more };
    return (await this.post('/options/register', asked, options)) as Options;
  }

  async signInOptions(more: object = {}, options?: PasskeyCallOptions): Promise<Options> {
    const asked = { relyingPartyName: 'Example', relyingPartyId: RELYING_PARTY, origin: ORIGIN, timeout: 60_000, ...more };
    return (await this.post('/options/signin', asked, options)) as Options;
  }

  signUp({ webauthnGeneratedOptionsId }: Options, credential: unknown, options?: PasskeyCallOptions): Promise<PasskeyAnswer> {
    return this.post('/signup', { webauthnGeneratedOptionsId, credential }, options);
  }

  signIn({ webauthnGeneratedOptionsId }: Options, credential: unknown, options?: PasskeyCallOptions): Promise<PasskeyAnswer> {
    return this.post('/signin', { webauthnGeneratedOptionsId, credential }, options);
  }

  register(recipeUserId: string, options: Options, credential: unknown, more?: PasskeyCallOptions): Promise<PasskeyAnswer> {
    const { webauthnGeneratedOptionsId } = options;
    return this.post('/user/credential/register', { recipeUserId, webauthnGeneratedOptionsId, credential }, more);
  }

  /** Somebody who has signed up. */
  async join(email = 'a@x', key = new SoftwareAuthenticator(), tenant = ''): Promise<Member> {
    const options = await this.registerOptions({ email }, { tenant });
    const answer = await this.signUp(options, key.create(options), { tenant });
    if (answer.status !== 'OK') throw new Error(JSON.stringify(answer));
    return { key, recipeUserId: String(answer['recipeUserId']), email };
  }

  /** A sign-in with options of its own. */
  async enter(
    key: SoftwareAuthenticator,
    more: PasskeyCallOptions & { readonly twist?: Parameters<SoftwareAuthenticator['get']>[1] } = {},
  ) {
    const { twist, ...options } = more;
    const asked = await this.signInOptions({}, options);
    return this.signIn(asked, key.get(asked, twist), options);
  }

  async userOf(userId: string, cdi?: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { body } = await this.core.call('GET', `/user/id?userId=${userId}`, undefined, cdi === undefined ? {} : { cdi });
    return body['user'] as Readonly<Record<string, unknown>> | undefined;
  }
}
