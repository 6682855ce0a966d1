import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { BASE_PLACE, type Place, place, PUBLIC } from '../../app/place.ts';
import { TEXTS } from '../../texts.ts';
import { Field, type Values } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { linkToTenant } from './tenant.ts';

const T = TEXTS.tenants;

/** What can be created. */
export type Kind = 'tenant' | 'app' | 'domain';

interface Creation {
  /** Where it will be. */
  readonly at: (name: string, from: Place) => Place;
  readonly create: (name: string, at: Place) => Promise<{ readonly createdNew: boolean }>;
}

const CREATIONS: Readonly<Record<Kind, Creation>> = {
  tenant: {
    at: (tenantId, from) => ({ ...from, tenantId }),
    create: (tenantId, at) => ok(core({ ...at, tenantId: PUBLIC }).PUT('/recipe/multitenancy/tenant/v2', { body: { tenantId } })),
  },
  app: {
    at: (appId, { connectionUriDomain }) => ({ connectionUriDomain, appId, tenantId: PUBLIC }),
    create: (appId, at) => ok(core({ ...at, appId: PUBLIC }).PUT('/recipe/multitenancy/app/v2', { body: { appId } })),
  },
  domain: {
    at: (connectionUriDomain) => ({ ...BASE_PLACE, connectionUriDomain }),
    create: (connectionUriDomain) =>
      ok(core(BASE_PLACE).PUT('/recipe/multitenancy/connectionuridomain/v2', { body: { connectionUriDomain } })),
  },
};

interface CreateProps {
  readonly kind: Kind;
  readonly onClose: () => void;
}

/** Creates a tenant, app or domain around where one is, and opens its page. One that is there is left as it is, and opened. */
export function Create({ kind, onClose }: CreateProps): JSX.Element {
  const { at, create } = CREATIONS[kind];
  const words = T.create[kind];
  const submit = async ({ name = '' }: Values): Promise<void> => {
    // The core compares and stores names in lower case.
    const id = name.trim().toLowerCase();
    const target = at(id, place.value);
    const { createdNew } = await create(id, target);
    if (!createdNew) throw new Error(T.existsAlready(id));
    location.hash = linkToTenant(target);
  };
  const { connectionUriDomain, appId } = place.value;
  return (
    <FormDialog title={words.title} action={words.title} done={T.created} onSubmit={submit} onClose={onClose}>
      <p>{words.lead(appId, connectionUriDomain || T.ownDomain)}</p>
      <Field label={words.label} name="name" required autoComplete="off" hint={words.hint} />
    </FormDialog>
  );
}
