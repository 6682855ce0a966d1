import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonText } from '../../../src/json/free-form.ts';
import { tenants } from '../../../src/recipes/tenants/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { ManagementCalls } from './calls.ts';

const SECRET = 'never-to-be-shown';
/** More than one page looks at. */
const MANY = 10_500;

let calls: ManagementCalls;

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4'));
});

interface Listed {
  readonly connectionUriDomain: string;
  readonly appId: string;
  readonly tenantId: string;
}

const named = (items: readonly unknown[]): string[] =>
  (items as readonly Listed[]).map(({ connectionUriDomain, appId, tenantId }) => [connectionUriDomain, appId, tenantId].join('/'));

const write = (path: string, body: object, at = '') => calls.ask('PUT', `/recipe/multitenancy/${path}`, body, { at });

/** Tenants as the endpoint would write them, all in one transaction. */
async function writeMany(count: number, nameOf: (at: number) => string, providers?: string): Promise<void> {
  await calls.core.services.store.transact(async (tx) => {
    const base = await tx.get(tenants, ['', 'public', 'public']);
    if (!base) throw new Error('the base tenant is missing');
    for (let at = 0; at < count; at += 1) {
      const tenant = (base.tenant + 1_000 + at) as typeof base.tenant;
      await tx.put(tenants, {
        ...base,
        tenantId: nameOf(at),
        tenant,
        ...(providers !== undefined && { providers: providers as JsonText }),
      });
    }
  });
}

describe('the tenants of the core', () => {
  test('come in the order of domain, app and id, whatever is addressed and whatever the size of a page', async () => {
    await write('app/v2', { appId: 'app1' });
    await write('tenant/v2', { tenantId: 't2' }, '/appid-app1');
    await write('tenant/v2', { tenantId: 't1' });
    await write('connectionuridomain/v2', { connectionUriDomain: 'other.example.com' });
    const wanted = ['/app1/public', '/app1/t2', '/public/public', '/public/t1', 'other.example.com/public/public'];
    for (const limit of [1, 2, 3, 5, 500]) expect(named((await calls.everyPage('/tenants', 'tenants', limit)).items)).toEqual(wanted);
    for (const at of ['/appid-app1', '/appid-app1/t2', '/t1', '/appid-nowhere'])
      expect(named((await calls.everyPage('/tenants', 'tenants', 100, at)).items)).toEqual(wanted);
  });

  test('are found by a part of domain, app or id', async () => {
    await write('app/v2', { appId: 'acme' });
    await write('tenant/v2', { tenantId: 'sales-acme' });
    await write('tenant/v2', { tenantId: 'sales' });
    const search = async (text: string) => named((await calls.everyPage(`/tenants?search=${text}`, 'tenants', 1)).items);
    expect(await search('ACME')).toEqual(['/acme/public', '/public/sales-acme']);
    expect(await search('sales')).toEqual(['/public/sales', '/public/sales-acme']);
    expect(await search('nobody')).toEqual([]);
  });

  test('say what is set there, and nothing secret', async () => {
    const coreConfig = { totp_max_attempts: 7 };
    await write('tenant/v2', {
      tenantId: 't1',
      firstFactors: ['emailpassword', 'thirdparty'],
      requiredSecondaryFactors: ['totp'],
      coreConfig,
    });
    const provider = { thirdPartyId: 'google', name: 'Google', clients: [{ clientId: 'id', clientSecret: SECRET }] };
    await write('config/thirdparty', { config: provider, skipValidation: true }, '/t1');
    const answer = await calls.manage('GET', '/tenants?search=t1');
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(answer).toEqual({
      status: 'OK',
      tenants: [
        {
          connectionUriDomain: '',
          appId: 'public',
          tenantId: 't1',
          firstFactors: ['emailpassword', 'thirdparty'],
          requiredSecondaryFactors: ['totp'],
          enabledRecipes: { emailPassword: true, thirdParty: true, passwordless: true },
          providers: [{ thirdPartyId: 'google', name: 'Google' }],
          configuredOptions: ['totp_max_attempts'],
        },
      ],
    });
    const [base] = (await calls.manage('GET', '/tenants?limit=1'))['tenants'] as readonly object[];
    expect(Object.keys(base ?? {})).not.toContain('firstFactors');
  });

  test('that are many are looked for piece by piece', async () => {
    await writeMany(MANY, (at) => (at === MANY - 1 ? 'wanted' : `t${at}`));
    const { pages, items } = await calls.everyPage('/tenants?search=wanted', 'tenants', 100);
    expect({ pages, names: named(items) }).toEqual({ pages: 2, names: ['/public/wanted'] });
    expect((await calls.everyPage('/tenants', 'tenants', 500)).items).toHaveLength(MANY + 1);
  });

  test('whose providers are large come on shorter pages', async () => {
    await writeMany(20, (at) => `t${at}`, JSON.stringify([{ thirdPartyId: 'google', name: 'x'.repeat(500_000), clients: [] }]));
    const { tenants: first, nextPaginationToken } = await calls.manage('GET', '/tenants?limit=500');
    expect((first as readonly unknown[]).length).toBeLessThan(10);
    expect(nextPaginationToken).toBeTypeOf('string');
  });

  test.each(['x', 'YQ', 'YS9iL2MvZA', ''])('a token that was made up (%s) is refused', async (token) => {
    expect(await calls.refusal('GET', `/tenants?paginationToken=${token}`)).toBe('400 paginationToken is not one that was given out');
  });
});
