import { type AnswerBody, openInProcessCore } from '../../in-process-core.ts';
import type { LoginRecipe } from '../../../src/recipes/accounts/records.ts';
import { Calls } from '../email-password/calls.ts';
import { checkedCall } from '../checked-answers.ts';

/** A user as a list shows it. */
export interface Listed {
  readonly id: string;
  readonly timeJoined: number;
  readonly emails: readonly string[];
}

/** A page as it was answered. */
export interface Page extends AnswerBody {
  readonly status: string;
  readonly users: readonly Listed[];
  readonly nextPaginationToken?: string;
}

/** A core with users of all recipes, and calls that list them. */
export class ListingWorld extends Calls {
  #number = 0;

  static async open(): Promise<ListingWorld> {
    return new ListingWorld(await openInProcessCore('5.4'));
  }

  /** Adds a login method that joins at a time of the test's choosing; answers its id. */
  async join(recipe: LoginRecipe, at: number, contact: { email?: string; phoneNumber?: string; provider?: string } = {}, tenant?: string) {
    const number = (this.#number += 1);
    this.core.clock.now = at;
    const { provider = 'google', ...rest } = contact;
    const account = recipe === 'thirdparty' ? { thirdPartyId: provider, thirdPartyUserId: `User-${number}` } : {};
    const email = rest.phoneNumber === undefined ? { email: `${recipe}-${number}@example.com` } : {};
    return this.add({ recipe, ...account, ...email, ...rest }, tenant);
  }

  get(path: string, query: object = {}, cdi = '5.4') {
    return checkedCall(this.core, 'GET', `${path}?${new URLSearchParams({ ...query })}`, undefined, { cdi });
  }

  async page(query: object = {}, at = ''): Promise<Page> {
    const { status, body } =
      at === '' ? await this.get('/users', query) : await this.core.call('GET', `${at}/users?${new URLSearchParams({ ...query })}`);
    if (status !== 200) throw new Error(String(body['text']));
    return body as Page;
  }

  async ids(query: object = {}, at = ''): Promise<string[]> {
    return (await this.page(query, at)).users.map(({ id }) => id);
  }

  /** The ids of all pages, one after the other. */
  async everyPage(query: object, at = ''): Promise<string[]> {
    const ids: string[] = [];
    for (let token: string | undefined; ; ) {
      const page = await this.page({ ...query, ...(token !== undefined && { paginationToken: token }) }, at);
      ids.push(...page.users.map(({ id }) => id));
      token = page.nextPaginationToken;
      if (token === undefined) return ids;
    }
  }

  /** Why a list was refused. */
  async refusal(query: object, at = '', cdi?: string): Promise<string> {
    const { status, body } = await this.get(`${at}/users`, query, cdi);
    return `${status} ${String(body['text']).trim()}`;
  }
}
