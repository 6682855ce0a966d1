import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { place } from '../../app/place.ts';
import type { components } from '../../generated/api.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { Badge, ErrorNote, Section } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { NewApiKey } from './new-api-key.tsx';

type ApiKey = components['schemas']['ManagementListApiKeysAnswer']['apiKeys'][number];

const T = TEXTS.keys;

/** By what back ends open the app. The core never shows a key again. */
export function ApiKeys(): JSX.Element {
  const { data, error, reload } = useAnswer((signal) => ok(core().GET('/manage/v1/api-keys', { signal })), [place.value]);
  const [isMaking, setMaking] = useState(false);
  const remaining = data ? data.apiKeys.length + data.inConfiguration : 0;
  const remove = async ({ name }: ApiKey): Promise<void> => {
    const text = `${T.removeKeyText(name)}${remaining === 1 ? ` ${T.removeLastText}` : ''}`;
    if (!(await confirmed({ title: T.removeKey, text, action: T.removeKey, word: name }))) return;
    await attempt(() => ok(core().POST('/manage/v1/api-keys/remove', { body: { name } })), T.keyRemoved(name));
    reload();
  };
  return (
    <Section title={T.apiKeys} actions={data && <Button onPress={() => setMaking(true)}>{T.makeKey}</Button>}>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && remaining === 0 && <div class="note warning">{T.noKeyAsked}</div>}
      {data && data.inConfiguration > 0 && <p class="hint">{T.inConfiguration(data.inConfiguration)}</p>}
      {data?.apiKeys.length === 0 && <div class="empty">{T.noApiKeys}</div>}
      {data && data.apiKeys.length > 0 && <KeyTable keys={data.apiKeys} onRemove={remove} />}
      {isMaking && (
        <NewApiKey
          isFirst={remaining === 0}
          onClose={(isDone) => {
            setMaking(false);
            if (isDone) reload();
          }}
        />
      )}
    </Section>
  );
}

function KeyTable({ keys, onRemove }: { readonly keys: readonly ApiKey[]; readonly onRemove: (key: ApiKey) => unknown }): JSX.Element {
  const columns = [
    { head: T.name, cell: ({ name }: ApiKey) => <code>{name}</code> },
    { head: T.scopes, cell: ({ scopes }: ApiKey) => scopes.map((scope) => <Badge key={scope}>{scope}</Badge>) },
    { head: T.created, cell: ({ createdAt }: ApiKey) => <Time ms={createdAt} /> },
    { head: T.lastUsed, cell: ({ lastUsedAt }: ApiKey) => <Time ms={lastUsedAt} /> },
    { head: T.expires, cell: ({ expiresAt }: ApiKey) => <Time ms={expiresAt} /> },
    {
      head: TEXTS.actions,
      cell: (key: ApiKey) => (
        <Button kind="danger" onPress={() => onRemove(key)} of={key.name}>
          {T.removeKey}
        </Button>
      ),
    },
  ];
  return <Table caption={T.apiKeys} columns={columns} rows={keys} keyOf={({ name }) => name} />;
}
