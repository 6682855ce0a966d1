import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { nameOf } from '../app/place-picker.tsx';
import { route, setQuery } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/form.tsx';
import { Badge, PageFrame } from '../ui/states.tsx';
import { PagedTable } from '../ui/table.tsx';
import { usePages } from '../ui/use-pages.ts';
import { Create, type Kind } from './tenants/create.tsx';
import { Reloaded, reloadConfig } from './tenants/reload.tsx';
import { factorsOf, recipesOf } from './tenants/sign-in.tsx';
import { linkToTenant, type Tenant } from './tenants/tenant.ts';

const T = TEXTS.tenants;
const KINDS: readonly Kind[] = ['tenant', 'app', 'domain'];

const COLUMNS = [
  { head: T.name, cell: (tenant: Tenant) => <a href={linkToTenant(tenant)}>{nameOf(tenant)}</a> },
  { head: TEXTS.connectionUriDomain, cell: ({ connectionUriDomain }: Tenant) => connectionUriDomain || T.ownDomain },
  { head: T.recipes, cell: ({ enabledRecipes }: Tenant) => recipesOf(enabledRecipes).map((name) => <Badge key={name}>{name}</Badge>) },
  { head: T.firstFactors, cell: ({ firstFactors }: Tenant) => factorsOf(firstFactors) },
  { head: T.providers, cell: ({ providers }: Tenant) => providers.map(({ thirdPartyId }) => thirdPartyId).join(', ') },
  { head: T.ownOptions, isNumber: true, cell: ({ configuredOptions }: Tenant) => configuredOptions.length || '' },
];

/** All connection URI domains, apps and tenants of the core. */
export default function Tenants(): JSX.Element {
  const [creating, setCreating] = useState<Kind | undefined>();
  const search = route.value.query.get('q') ?? '';
  const pages = usePages(
    async (paginationToken, signal) => {
      const text = search.trim();
      const query = { limit: 100, ...(text !== '' && { search: text }), ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(core().GET('/manage/v1/tenants', { params: { query }, signal }));
      return { rows: answer.tenants, next: answer.nextPaginationToken };
    },
    [search],
  );
  const deeds = [
    ...(can('tenants') ? KINDS.map((kind) => ({ title: T.create[kind].title, run: () => setCreating(kind) })) : []),
    ...(can('all') ? [{ title: T.reload, run: reloadConfig }] : []),
  ];
  return (
    <PageFrame
      title={T.title}
      lead={T.lead}
      actions={deeds.map(({ title, run }, at) => (
        <Button key={title} {...(at === 0 && can('tenants') && { kind: 'primary', keys: 'n' })} onPress={run}>
          {title}
        </Button>
      ))}
    >
      <Reloaded />
      <Field
        label={T.search}
        name="q"
        type="search"
        autoComplete="off"
        value={search}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
      />
      <PagedTable
        caption={T.title}
        columns={COLUMNS}
        pages={pages}
        keyOf={(tenant) => JSON.stringify([tenant.connectionUriDomain, tenant.appId, tenant.tenantId])}
        empty={T.noneFound}
      />
      {creating && <Create kind={creating} onClose={() => setCreating(undefined)} />}
    </PageFrame>
  );
}
