import { describe, expect, test } from 'vitest';
import { NAMED_ENDPOINTS, operatorNeed } from '../../../src/recipes/operators/needs.ts';
import { ROLE_SCOPES } from '../../../src/recipes/operators/roles.ts';
import { ROUTES } from '../../../src/recipes/routes.ts';
import { grants } from '../../../src/recipes/tenants/api-keys.ts';
import { KEY } from '../../cli/places.ts';
import type { RunningCore } from '../../running-core.ts';
import { withCore } from '../../with-core.ts';
import { addOperator, Browser } from './browser.ts';

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;
const guarded = ROUTES.filter((row) => row.apiKey);

describe('the table of what an operator needs', () => {
  test('names every endpoint of the interface that asks for a key, once, and no other', () => {
    const ofInterface = new Set(guarded.filter(({ needs }) => needs === 'cdi').map(nameOf));
    expect(NAMED_ENDPOINTS.toSorted()).toEqual([...ofInterface].toSorted());
  });

  test('leaves to admins what shows secrets, and what signs in or mints', () => {
    const ofAdmins = [
      'GET /manage/v1/backup',
      'GET /manage/v1/export/users',
      'GET /bulk-import/users',
      'POST /recipe/session',
      'POST /recipe/jwt',
    ];
    const need = (name: string): string => {
      const [method = '', path = ''] = name.split(' ');
      return operatorNeed(method, path, ROUTES.find((row) => nameOf(row) === name)?.needs ?? 'cdi');
    };
    expect(ofAdmins.map(need)).toEqual(ofAdmins.map(() => 'all'));
  });

  test('paths of browsers have no rows of another kind', () => {
    const kinds = new Map<string, Set<string | undefined>>();
    for (const { path, browser } of ROUTES) kinds.set(path, (kinds.get(path) ?? new Set()).add(browser));
    expect([...kinds].filter(([, of]) => of.size > 1)).toEqual([]);
  });
});

describe('every endpoint, asked for directly', () => {
  const browsers = new Map<string, Browser>();
  let core: RunningCore;
  withCore({ env: { API_KEYS: KEY } }, async (started) => {
    core = started;
    for (const role of Object.keys(ROLE_SCOPES)) {
      await addOperator(core.port, KEY, `${role}@example.com`, role);
      const browser = new Browser(core.port);
      await browser.signIn(`${role}@example.com`);
      browsers.set(role, browser);
    }
  });

  test.each(Object.entries(ROLE_SCOPES))('%s', async (role, scopes) => {
    const browser = browsers.get(role);
    if (!browser) throw new Error('nobody is signed in');
    const wrong: string[] = [];
    for (const row of guarded) {
      const { method, path, needs, rid } = row;
      const need = operatorNeed(method, path, needs);
      const answer = await browser.ask(method, path, method === 'GET' ? undefined : {}, rid === undefined ? {} : { rid });
      const isRefused = answer.status === 403 && answer.text === `Your role does not include this: it needs the scope '${need}'`;
      if (isRefused === grants(scopes, need) || answer.status === 401) wrong.push(`${nameOf(row)}: ${answer.status} ${answer.text}`);
    }
    expect(wrong).toEqual([]);
  });
});
