import type { JSX } from 'preact';
import { core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { linkTo, route, setQuery } from '../app/route.ts';
import { TEXTS } from '../texts.ts';
import { Badge, PageFrame } from '../ui/states.tsx';
import { PagedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { usePages } from '../ui/use-pages.ts';
import { nameOfUser, type User } from './user/user-answer.ts';

const T = TEXTS.users;
const LIMIT = 50;

const COLUMNS = [
  { head: T.user, cell: (user: User) => <a href={linkTo('users', user.id)}>{nameOfUser(user)}</a> },
  {
    head: T.methods,
    cell: ({ loginMethods }: User) =>
      [...new Set(loginMethods.map(({ recipeId }) => recipeId))].map((id) => <Badge key={id}>{TEXTS.recipes[id]}</Badge>),
  },
  { head: T.joined, cell: ({ timeJoined }: User) => <Time ms={timeJoined} /> },
  { head: T.id, cell: ({ id }: User) => <code>{id}</code> },
];

/** Users of the tenant, found by what is typed. */
export default function Users(): JSX.Element {
  const q = route.value.query.get('q') ?? '';
  const pages = usePages(
    async (paginationToken, signal) => {
      const query = { limit: LIMIT, ...(q !== '' && { email: q }), ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(core().GET('/manage/v1/users', { params: { query }, signal }));
      return { rows: answer.users, next: answer.nextPaginationToken };
    },
    [q],
  );
  return (
    <PageFrame title={T.title} lead={T.lead(nameOf(place.value))}>
      <input
        type="search"
        aria-label={T.search}
        placeholder={T.searchHint}
        value={q}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
      />
      <PagedTable caption={T.title} columns={COLUMNS} pages={pages} keyOf={({ id }) => id} empty={q === '' ? T.none : T.noneFound} />
    </PageFrame>
  );
}
