import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { nameOf, pickPlace } from '../app/place-picker.tsx';
import { linkTo, route, setQuery } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/form.tsx';
import { count } from '../ui/numbers.ts';
import { Badge, PageFrame } from '../ui/states.tsx';
import { PagedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { usePages } from '../ui/use-pages.ts';
import { CreateUser } from './user/create-user.tsx';
import { findUsers, RECIPES, SEARCH_KINDS } from './user/find-users.ts';
import { nameOfUser, type User } from './user/user-answer.ts';

const T = TEXTS.users;

const COLUMNS = [
  { head: T.user, cell: (user: User) => <a href={linkTo('users', user.id)}>{nameOfUser(user)}</a> },
  {
    head: T.methods,
    cell: ({ loginMethods }: User) =>
      [...new Set(loginMethods.map(({ recipeId }) => recipeId))].map((id) => <Badge key={id}>{TEXTS.recipes[id]}</Badge>),
  },
  { head: T.tenants, cell: ({ tenantIds }: User) => tenantIds.join(', ') },
  { head: T.joined, cell: ({ timeJoined }: User) => <Time ms={timeJoined} /> },
  { head: T.id, cell: ({ id }: User) => <code>{id}</code> },
];

/** Users of the tenant, found by what is typed. */
export default function Users(): JSX.Element {
  const [isCreating, setCreating] = useState(false);
  const { query } = route.value;
  const [q, by, recipe] = [query.get('q') ?? '', query.get('by') ?? '', query.get('recipe') ?? ''];
  const pages = usePages((token, signal) => findUsers({ text: q.trim(), by, recipe, token, signal }), [q.trim(), by, recipe]);
  const { data } = useAnswer((signal) => ok(core().GET('/users/count', { signal })), []);
  const isFiltered = q.trim() !== '' || recipe !== '';
  return (
    <PageFrame
      title={T.title}
      lead={data ? T.lead(nameOf(place.value), count(data.count)) : ' '}
      actions={
        can('users') && (
          <Button kind="primary" keys="n" onPress={() => setCreating(true)}>
            {T.create}
          </Button>
        )
      }
    >
      <search class="filters">
        <div class="field grows">
          <label for="users-search">{T.search}</label>
          <input
            id="users-search"
            type="search"
            placeholder={T.searchHint}
            value={q}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </div>
        <Choice label={T.by} name="by" value={by} options={SEARCH_KINDS} onChange={(value) => setQuery({ by: value })} />
        <Choice label={T.methods} name="recipe" value={recipe} options={RECIPES} onChange={(value) => setQuery({ recipe: value })} />
        <div class="field">
          <span id="users-tenant">{TEXTS.tenantId}</span>
          <button type="button" aria-describedby="users-tenant" onClick={() => pickPlace()}>
            {nameOf(place.value)}
          </button>
        </div>
      </search>
      <PagedTable caption={T.title} columns={COLUMNS} pages={pages} keyOf={({ id }) => id} empty={isFiltered ? T.noneFound : T.none} />
      {isCreating && <CreateUser onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}
