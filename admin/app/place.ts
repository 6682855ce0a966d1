import { computed } from '@preact/signals';
import { route } from './route.ts';

/** What the page looks at: a tenant of an app in a connection URI domain, which is empty for the core's own. */
export interface Place {
  readonly connectionUriDomain: string;
  readonly appId: string;
  readonly tenantId: string;
}

export const PUBLIC = 'public';
export const BASE_PLACE: Place = { connectionUriDomain: '', appId: PUBLIC, tenantId: PUBLIC };

/** The names of its parts in the address of the page, so that links lead to the same place. */
export const PLACE_QUERY = { connectionUriDomain: 'domain', appId: 'app', tenantId: 'tenant' } as const;

const placeIn = (query: URLSearchParams): Place => ({
  connectionUriDomain: query.get(PLACE_QUERY.connectionUriDomain) ?? '',
  appId: query.get(PLACE_QUERY.appId) ?? PUBLIC,
  tenantId: query.get(PLACE_QUERY.tenantId) ?? PUBLIC,
});

const asked = computed(() => JSON.stringify(placeIn(route.value.query)));

/** Where the page is. Its value stays the same object while the place does. */
export const place = computed<Place>(() => JSON.parse(asked.value));

/** What precedes the paths of endpoints. */
export function pathOf({ appId, tenantId }: Place): string {
  const app = appId === PUBLIC ? '' : `/appid-${encodeURIComponent(appId)}`;
  return tenantId === PUBLIC ? app : `${app}/${encodeURIComponent(tenantId)}`;
}

/** The parameters of a place, without those that go without saying. */
export function placeQuery(at: Place): Readonly<Record<string, string>> {
  const all = {
    [PLACE_QUERY.connectionUriDomain]: at.connectionUriDomain,
    [PLACE_QUERY.appId]: at.appId,
    [PLACE_QUERY.tenantId]: at.tenantId,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== PUBLIC));
}

/** Tenants within the same app. */
export const inTenant = (tenantId: string): Place => ({ ...place.value, tenantId });
