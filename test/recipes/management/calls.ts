import type { InProcessAnswer } from '../../in-process-core.ts';
import { LinkingCalls } from '../account-linking/calls.ts';

const MANAGE = '/manage/v1';

/** The management endpoints of users and sessions, beside those of the interface that they answer for. */
export class ManagementCalls extends LinkingCalls {
  /** The body of an answer, which must be one with status 200. */
  async manage(method: 'GET' | 'POST', path: string, body?: object, at = ''): Promise<InProcessAnswer['body']> {
    const answer = await this.ask(method, `${MANAGE}${path}`, body, { at });
    if (answer.status !== 200) throw new Error(`${answer.status} ${String(answer.body['text'])}`);
    return answer.body;
  }

  /** The text of a refusal. */
  async refusal(method: 'GET' | 'POST', path: string, body?: object, at = ''): Promise<string> {
    const { status, body: answer } = await this.ask(method, `${MANAGE}${path}`, body, { at });
    return `${status} ${String(answer['text']).trimEnd()}`;
  }

  disable(userId: string): Promise<InProcessAnswer['body']> {
    return this.manage('POST', '/user/disable', { userId });
  }

  enable(userId: string): Promise<InProcessAnswer['body']> {
    return this.manage('POST', '/user/enable', { userId });
  }

  show(userId: string): Promise<InProcessAnswer['body']> {
    return this.manage('GET', `/user?userId=${encodeURIComponent(userId)}`);
  }

  /** Every item of a list, asked for page by page. @param path with its query */
  async everyPage(
    path: string,
    list: string,
    limit: number,
    at = '',
  ): Promise<{ readonly pages: number; readonly items: readonly unknown[] }> {
    const items: unknown[] = [];
    let token = '';
    for (let pages = 1; ; pages += 1) {
      const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${token}`;
      const body = await this.manage('GET', `${path}${query}`, undefined, at);
      items.push(...(body[list] as readonly unknown[]));
      if (body['nextPaginationToken'] === undefined) return { pages, items };
      token = `&paginationToken=${encodeURIComponent(String(body['nextPaginationToken']))}`;
    }
  }

  /** Whether a session can be started for an id: `OK`, or the text of the refusal. */
  async tryStart(userId: string, at = ''): Promise<unknown> {
    const body = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey: true };
    const answer = await this.ask('POST', '/recipe/session', body, { at });
    return answer.status === 200 ? answer.body['status'] : `${answer.status} ${String(answer.body['text']).trimEnd()}`;
  }
}
