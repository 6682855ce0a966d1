import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { BASE_PLACE, type Place, PUBLIC } from '../../app/place.ts';
import { linkTo } from '../../app/route.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { attempt } from '../../ui/toasts.tsx';

const T = TEXTS.tenants;

interface Removal {
  readonly words: (typeof T.removals)[keyof typeof T.removals];
  /** What must be typed. */
  readonly name: string;
  readonly remove: () => Promise<unknown>;
}

/** What a place is, and how that is removed: a public tenant stands for its app, a public app for its domain. */
function removalOf({ connectionUriDomain, appId, tenantId }: Place): Removal {
  if (tenantId !== PUBLIC) {
    const source = core({ connectionUriDomain, appId, tenantId: PUBLIC });
    const remove = () => ok(source.POST('/recipe/multitenancy/tenant/remove', { body: { tenantId } }));
    return { words: T.removals.tenant, name: tenantId, remove };
  }
  if (appId !== PUBLIC) {
    const source = core({ ...BASE_PLACE, connectionUriDomain });
    return {
      words: T.removals.app,
      name: appId,
      remove: () => ok(source.POST('/recipe/multitenancy/app/remove', { body: { appId } })),
    };
  }
  const remove = () => ok(core(BASE_PLACE).POST('/recipe/multitenancy/connectionuridomain/remove', { body: { connectionUriDomain } }));
  return { words: T.removals.domain, name: connectionUriDomain, remove };
}

/** Removes the tenant, app or domain that a page is of; the base tenant stays always. */
export function Remove({ at }: { readonly at: Place }): JSX.Element {
  const { words, name, remove } = removalOf(at);
  const press = async (): Promise<void> => {
    if (!(await confirmed({ title: words.title, text: words.warning, action: words.title, word: name }))) return;
    if (!(await attempt(remove, T.removed(name)))) return;
    location.hash = linkTo('tenants', undefined, { domain: undefined, app: undefined, tenant: undefined });
  };
  return (
    <Button kind="danger" onPress={press}>
      {words.title}
    </Button>
  );
}
