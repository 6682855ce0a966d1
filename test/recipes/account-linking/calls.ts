import { lastActive } from '../../../src/recipes/active-users/records.ts';
import type { InProcessAnswer, InProcessCallOptions } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';
import { PasswordlessCalls } from '../passwordless/calls.ts';

export const ACCOUNT_INFO_TAKEN = 'ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR';
export const UNKNOWN_ID = { status: 400, body: { text: 'Unknown user ID provided\n' } };

/** A user as account linking shows it. */
export interface ShownUser {
  readonly id: string;
  readonly isPrimaryUser: boolean;
  readonly tenantIds: readonly string[];
  readonly timeJoined: number;
  readonly emails: readonly string[];
  readonly loginMethods: readonly { readonly recipeUserId: string; readonly recipeId: string; readonly tenantIds: readonly string[] }[];
}

type Options = InProcessCallOptions & { readonly at?: string };

/** The calls of account linking and of what stands beside it, each answer checked against its schema. */
export class LinkingCalls extends PasswordlessCalls {
  ask(method: string, path: string, body?: object, { at = '', ...options }: Options = {}): Promise<InProcessAnswer> {
    return checkedCall(this.core, method, `${at}${path}`, body, options);
  }

  primary(recipeUserId: unknown, options?: Options): Promise<InProcessAnswer> {
    return this.ask('POST', '/recipe/accountlinking/user/primary', { recipeUserId }, options);
  }

  canBePrimary(recipeUserId: string, options?: Options): Promise<InProcessAnswer> {
    return this.ask('GET', `/recipe/accountlinking/user/primary/check?recipeUserId=${recipeUserId}`, undefined, options);
  }

  linkTo(recipeUserId: unknown, primaryUserId: unknown, options?: Options): Promise<InProcessAnswer> {
    return this.ask('POST', '/recipe/accountlinking/user/link', { recipeUserId, primaryUserId }, options);
  }

  canLink(recipeUserId: string, primaryUserId: string, options?: Options): Promise<InProcessAnswer> {
    const query = `recipeUserId=${recipeUserId}&primaryUserId=${primaryUserId}`;
    return this.ask('GET', `/recipe/accountlinking/user/link/check?${query}`, undefined, options);
  }

  unlink(recipeUserId: unknown, options?: Options): Promise<InProcessAnswer> {
    return this.ask('POST', '/recipe/accountlinking/user/unlink', { recipeUserId }, options);
  }

  removeUser(userId: string, removeAllLinkedAccounts?: boolean, options?: Options): Promise<InProcessAnswer> {
    const more = removeAllLinkedAccounts === undefined ? {} : { removeAllLinkedAccounts };
    return this.ask('POST', '/user/remove', { userId, ...more }, options);
  }

  /** Gives a user an external id, which must succeed. */
  async mapTo(superTokensUserId: string, externalUserId: string, force = false): Promise<void> {
    const { body } = await this.ask('POST', '/recipe/userid/map', { superTokensUserId, externalUserId, force });
    if (body['status'] !== 'OK') throw new Error(JSON.stringify(body));
  }

  /** The user of an id, `undefined` where there is none. */
  async user(userId: string): Promise<ShownUser | undefined> {
    const { body } = await this.ask('GET', `/user/id?userId=${encodeURIComponent(userId)}`);
    return body['user'] as ShownUser | undefined;
  }

  /** The ids of the login methods of a user, in no order. */
  async members(userId: string): Promise<readonly string[]> {
    const user = await this.user(userId);
    return (user?.loginMethods ?? []).map((method) => method.recipeUserId).toSorted();
  }

  /** Signs up or in with an account at a third party; answers the id of the login method. */
  async thirdParty(account: string, email: string, at = ''): Promise<string> {
    const body = { thirdPartyId: 'google', thirdPartyUserId: account, email: { id: email, isVerified: false } };
    return String((await this.ask('POST', '/recipe/signinup', body, { at })).body['recipeUserId']);
  }

  /** Makes a group of new email/password users; answers their ids, the primary one first. */
  async group(...emails: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const email of emails) {
      // Login methods are shown in the order in which they joined.
      this.core.clock.now += 1;
      ids.push(await this.signUp(email));
    }
    const [primary = ''] = ids;
    await this.link(primary, ...ids.slice(1));
    return ids;
  }

  /** Starts a session; answers its handle. */
  async startSession(userId: string, at = ''): Promise<string> {
    const body = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey: true };
    return String(((await this.ask('POST', '/recipe/session', body, { at })).body['session'] as { handle: string }).handle);
  }

  /** Whether sessions exist. */
  async alive(...handles: readonly string[]): Promise<readonly boolean[]> {
    const answers = await Promise.all(handles.map((handle) => this.ask('GET', `/recipe/session?sessionHandle=${handle}`)));
    return answers.map(({ body }) => body['status'] === 'OK');
  }

  /** When the user with this id, as it stands in the rows, was last active; `undefined` for never. */
  async activeAt(id: string): Promise<number | undefined> {
    const { app } = await this.tenant();
    const found = await this.core.services.store.read((reader) => reader.get(lastActive, [app, id]));
    return found?.at;
  }
}
