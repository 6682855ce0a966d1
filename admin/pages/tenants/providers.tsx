import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import { ProviderForm } from './provider-form.tsx';
import { expectUnchanged, type Known, type Provider, type Tenant } from './tenant.ts';

const T = TEXTS.tenants;

type Shown = Tenant['providers'][number];

interface ProvidersProps {
  readonly known: Known;
  readonly onChanged: () => void;
}

/** What is edited: one that there is, or a new one. */
type Editing = { readonly provider: Provider | undefined } | undefined;

/** The third-party providers of a tenant. Secrets come to those alone who may change them, and stand in forms only. */
export function Providers({ known, onChanged }: ProvidersProps): JSX.Element {
  const [editing, setEditing] = useState<Editing>();
  const { tenant, providers = [] } = known;
  const remove = async ({ thirdPartyId }: Shown): Promise<void> => {
    if (!(await confirmed({ title: T.removeProvider, text: T.removeProviderText(thirdPartyId), action: T.removeProvider }))) return;
    const call = async (): Promise<void> => {
      await expectUnchanged(known, (now) => providerIn(now, thirdPartyId));
      await ok(core(tenant).POST('/recipe/multitenancy/config/thirdparty/remove', { body: { thirdPartyId } }));
    };
    await attempt(call, T.removed(thirdPartyId));
    onChanged();
  };
  const columns: readonly Column<Shown>[] = [
    { head: T.providerId, cell: ({ thirdPartyId }) => thirdPartyId },
    { head: T.providerName, cell: ({ name }) => name ?? '' },
  ];
  const forAdmins: Column<Shown> = {
    head: TEXTS.actions,
    cell: (shown) => (
      <div class="actions">
        <Button of={shown.thirdPartyId} onPress={() => setEditing({ provider: providerIn(known, shown.thirdPartyId) })}>
          {T.edit}
        </Button>
        <Button kind="danger" of={shown.thirdPartyId} onPress={() => remove(shown)}>
          {T.removeProvider}
        </Button>
      </div>
    ),
  };
  const close = (): void => {
    setEditing(undefined);
    onChanged();
  };
  const mayChange = can('tenants');
  const begin = (): void => setEditing({ provider: undefined });
  const add = mayChange && <Button onPress={begin}>{T.addProvider}</Button>;
  return (
    <Section title={T.providers} actions={add}>
      {tenant.providers.length === 0 && <div class="empty">{mayChange ? T.noProviders : T.noProvidersForYou}</div>}
      {tenant.providers.length > 0 && (
        <Table
          caption={T.providers}
          columns={mayChange ? [...columns, forAdmins] : columns}
          rows={tenant.providers}
          keyOf={({ thirdPartyId }) => thirdPartyId}
        />
      )}
      {editing && (
        <Dialog title={editing.provider ? T.edit : T.addProvider} isWide onClose={close}>
          <ProviderForm
            provider={editing.provider}
            onCancel={close}
            onSave={async (config) => {
              const id = config.thirdPartyId;
              if (!editing.provider && providers.some(({ thirdPartyId }) => thirdPartyId === id)) throw new Error(T.existsAlready(id));
              await expectUnchanged(known, (now) => providerIn(now, id));
              await ok(core(tenant).PUT('/recipe/multitenancy/config/thirdparty', { body: { config } }));
              say(T.saved);
              close();
            }}
          />
        </Dialog>
      )}
    </Section>
  );
}

const providerIn = ({ providers }: Known, id: string): Provider | undefined => providers?.find(({ thirdPartyId }) => thirdPartyId === id);
