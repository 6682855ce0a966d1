import { signal } from '@preact/signals';

/** What the address of the page says after `#/`: a page, what of it, and how it is set. */
export interface Route {
  /** As `users`; empty for the first page. */
  readonly page: string;
  /** What follows the page, decoded: the id of a user, say. */
  readonly item: string | undefined;
  readonly query: URLSearchParams;
}

function routeIn(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', item] = path.split('/');
  return { page, item: item && decoded(item), query: new URLSearchParams(query) };
}

/** What cannot be decoded stays as somebody typed it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = signal<Route>(routeIn(location.hash));
addEventListener('hashchange', () => {
  route.value = routeIn(location.hash);
});

type Query = Readonly<Record<string, string | undefined>>;

function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

function changed(query: URLSearchParams, changes: Query): URLSearchParams {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') all.delete(name);
    else all.set(name, value);
  }
  return all;
}

/** Which parameters go along from page to page: those of the place. */
const LASTING = ['domain', 'app', 'tenant'];

const lasting = (): URLSearchParams => new URLSearchParams([...route.value.query].filter(([name]) => LASTING.includes(name)));

/** The address of a page, at the same place unless `query` names another. @param item encoded here */
export function linkTo(page: string, item?: string, query: Query = {}): string {
  return withQuery(item === undefined ? page : `${page}/${encodeURIComponent(item)}`, changed(lasting(), query));
}

export function goTo(page: string, item?: string, query: Query = {}): void {
  location.hash = linkTo(page, item, query);
}

/** Changes how the present page is set, without a step in the history: for what is typed. Empty values are left out. */
export function setQuery(changes: Query): void {
  const { page, item, query } = route.value;
  const hash = withQuery(item === undefined ? page : `${page}/${encodeURIComponent(item)}`, changed(query, changes));
  history.replaceState(null, '', hash);
  route.value = routeIn(hash);
}
