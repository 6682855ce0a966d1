import { totpCode } from '../../totp-code.ts';
import type { InProcessCallOptions, InProcessCore } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';

/** Long, so that a code holds as long as a test wants it to. */
export const PERIOD = 100_000;
const STEP_MS = PERIOD * 1000;

export type TotpAnswer = string | { readonly status: string; readonly [member: string]: unknown };

/** The TOTP endpoints of a core. Answers are the JSON, or the text of a refusal. */
export function totpCalls(core: InProcessCore) {
  const call = async (method: string, path: string, body?: object, options?: InProcessCallOptions): Promise<TotpAnswer> => {
    const answer = await checkedCall(core, method, path, body, options);
    return answer.status === 200 ? (answer.body as TotpAnswer) : `${answer.status} ${String(answer.body['text']).trimEnd()}`;
  };
  const post = (path: string, body: object, options?: InProcessCallOptions) => call('POST', `/recipe/totp${path}`, body, options);
  const add = async (userId: string, deviceName: string, more: object = {}): Promise<string> => {
    const made = await post('/device', { userId, deviceName, skew: 1, period: PERIOD, ...more });
    if (typeof made === 'string' || made.status !== 'OK') throw new Error(JSON.stringify(made));
    return String(made['secret']);
  };
  const prove = (userId: string, deviceName: string, totp: string) => post('/device/verify', { userId, deviceName, totp });
  /** The code of a secret now, or some steps away. */
  const code = (secret: string, steps = 0, period = PERIOD): string =>
    totpCode({ secret, period, skew: 0 }, core.clock.now + steps * STEP_MS) ?? '';
  return {
    call,
    post,
    add,
    prove,
    code,
    verify: (userId: string, totp: string, tenant = '') => call('POST', `${tenant}/recipe/totp/verify`, { userId, totp }),
    /** Six digits that are no code of these secrets about now. */
    wrong: (...secrets: readonly string[]): string => {
      const right = new Set(secrets.flatMap((secret) => [-2, -1, 0, 1, 2].map((steps) => code(secret, steps))));
      for (let number = 0; ; number++) {
        const text = String(number).padStart(6, '0');
        if (!right.has(text)) return text;
      }
    },
    /** A verified device; answers its secret. It is proven with the code one step back, which is thereby used. */
    addVerified: async (userId: string, deviceName: string, more: object = {}): Promise<string> => {
      const secret = await add(userId, deviceName, more);
      const answer = await prove(userId, deviceName, code(secret, -1));
      if (typeof answer === 'string' || answer.status !== 'OK') throw new Error(JSON.stringify(answer));
      return secret;
    },
  };
}
