import { devices, type DeviceRecord } from '../../../src/recipes/passwordless/records.ts';
import type { AnswerBody, InProcessAnswer, InProcessCallOptions } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';
import { Calls } from '../email-password/calls.ts';

/** What creating a code answers. */
export interface MadeCode extends AnswerBody {
  readonly status: string;
  readonly preAuthSessionId: string;
  readonly codeId: string;
  readonly deviceId: string;
  readonly userInputCode: string;
  readonly linkCode: string;
  readonly timeCreated: number;
  readonly codeLifetime: number;
}

type Options = InProcessCallOptions & { readonly at?: string };

export const byCode = ({ preAuthSessionId, deviceId, userInputCode }: MadeCode) => ({ preAuthSessionId, deviceId, userInputCode });
export const byLink = ({ preAuthSessionId, linkCode }: MadeCode) => ({ preAuthSessionId, linkCode });
export const wrong = (made: MadeCode) => ({ ...byCode(made), userInputCode: 'wrong' });

export const RESTART = { status: 'RESTART_FLOW_ERROR' };

/** The calls that tests of this recipe make; every answer is held against its schema. */
export class PasswordlessCalls extends Calls {
  at(method: string, path: string, body?: object, options: Options = {}): Promise<InProcessAnswer> {
    return checkedCall(this.core, method, `${options.at ?? ''}${path}`, body, { rid: 'passwordless', ...options });
  }

  async make(given: object, options?: Options): Promise<MadeCode> {
    return (await this.at('POST', '/recipe/signinup/code', given, options)).body as MadeCode;
  }

  async consume(body: object, options?: Options): Promise<InProcessAnswer['body']> {
    return (await this.at('POST', '/recipe/signinup/code/consume', body, options)).body;
  }

  async check(body: object, options?: Options): Promise<InProcessAnswer['body']> {
    return (await this.at('POST', '/recipe/signinup/code/check', body, options)).body;
  }

  /** Signs in with a fresh code; answers the id of the login method. */
  async signInWith(contact: object, options?: Options): Promise<string> {
    const answer = await this.consume(byCode(await this.make(contact, options)), options);
    if (answer['status'] !== 'OK') throw new Error(`consuming: ${String(answer['status'])}`);
    return String(answer['recipeUserId']);
  }

  async list(query: Readonly<Record<string, string>>, options?: Options): Promise<readonly Record<string, unknown>[]> {
    const { body } = await this.at('GET', `/recipe/signinup/codes?${new URLSearchParams(query).toString()}`, undefined, options);
    return body['devices'] as readonly Record<string, unknown>[];
  }

  /** What is stored, of all tenants. */
  async kept(): Promise<DeviceRecord[]> {
    return this.core.services.store.read((reader) => reader.list(devices, undefined, { prefix: [], limit: 10_000 }));
  }
}
