import type { InProcessAnswer, InProcessCore } from '../in-process-core.ts';

/** An endpoint, how many sequential rounds of reads it may take, and a call of it. */
export interface Scenario {
  /** Method and path; after a further blank, what is special about this call. */
  readonly endpoint: string;
  readonly budget: number;
  readonly play: (core: InProcessCore, made: Made) => Promise<InProcessAnswer>;
}

/** What stands in the store before a scenario plays. */
export interface Made {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly handle: string;
  readonly userId: string;
  readonly email: string;
}

/** The password of the user in `Made`. */
export const PASSWORD = 'a good password';

/** The body of a verification of the session in `Made`. */
export const verifyBody = (made: Made, checkDatabase: boolean) => ({
  accessToken: made.accessToken,
  doAntiCsrfCheck: false,
  enableAntiCsrf: false,
  checkDatabase,
});

/** The body of a creation of a session. */
export const sessionBody = (userId: string) => ({ userId, userDataInJWT: { a: 1 }, userDataInDatabase: {}, enableAntiCsrf: false });

/** One call that needs nothing of `Made`. */
export function plain(budget: number, call: string, body?: object): Scenario {
  const [method = '', path = ''] = call.split(' ');
  return { endpoint: call.replace(/\?.*/, ''), budget, play: (core) => core.call(method, path, body) };
}

/** A call after something was made ready for it, which is not counted; `play` is given what `prepare` answered. */
export function prepared<T>(
  endpoint: string,
  budget: number,
  prepare: (core: InProcessCore, made: Made) => Promise<T>,
  play: (core: InProcessCore, made: Made, ready: T) => Promise<InProcessAnswer>,
): Scenario {
  return {
    endpoint,
    budget,
    play: async (core, made) => {
      const ready = await prepare(core, made);
      core.takeRounds();
      return play(core, made, ready);
    },
  };
}

/** The answer of a call, which must have done what it was called for: the members of its body that are named here. */
export async function done(answer: Promise<InProcessAnswer>, wanted: object = {}): Promise<InProcessAnswer> {
  const { status, body } = await answer;
  for (const [name, value] of Object.entries({ status: 'OK', ...wanted })) {
    if (body[name] !== value) throw new Error(`${name} is ${String(body[name])} in an answer ${status}`);
  }
  return { status, body };
}
