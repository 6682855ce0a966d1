import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { place } from '../../app/place.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { coreNow } from '../../ui/core-clock.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, ErrorNote, Section, type Tone } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { useAnswer, useLive } from '../../ui/use-answer.ts';
import { axisOf, LifeLine, type SigningKey } from './life-line.tsx';

const T = TEXTS.keys;
/** A new key signs after a minute: the page shows when. */
const EVERY_MS = 10_000;
const TONES: Readonly<Record<SigningKey['state'], Tone>> = { coming: 'plain', signing: 'good', verifying: 'warning' };

type Kind = SigningKey['kind'];

/** The keys that sign or verify, each with its life on one axis of time. */
export function SigningKeys(): JSX.Element {
  const { data, error, reload } = useAnswer((signal) => ok(core().GET('/manage/v1/signing-keys', { signal })), [place.value]);
  useLive(reload, EVERY_MS);
  const [broken, setBroken] = useState<{ readonly kid: string; readonly breaks: string }>();
  const mayChange = can('keys');
  const rotate = async (kind: Kind): Promise<void> => {
    const question = { title: T.rotateKind[kind], text: T.rotateText[kind], action: T.rotate };
    if (!(await confirmed(question))) return;
    await attempt(() => ok(core().POST('/manage/v1/signing-keys/rotate', { body: { kind } })), T.rotated);
    reload();
  };
  const retire = async ({ kid, kind, state }: SigningKey): Promise<void> => {
    const text = `${T.retireText[kind]}${state === 'signing' ? ` ${T.retireSigning}` : ''}`;
    if (!(await confirmed({ title: T.retire, text, action: T.retire, word: kid }))) return;
    await attempt(async () => {
      const { breaks } = await ok(core().POST('/manage/v1/signing-keys/retire', { body: { kid } }));
      setBroken({ kid, breaks });
    }, T.retired(kid));
    reload();
  };
  return (
    <Section title={T.signingKeys} actions={mayChange && <Rotations onRotate={rotate} />}>
      <p class="hint">{T.signingKeysHint}</p>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && <KeyTable keys={data.keys} onRetire={mayChange ? retire : undefined} />}
      {broken && (
        <Dialog title={T.retired(broken.kid)} onClose={() => setBroken(undefined)}>
          <p>{broken.breaks}</p>
        </Dialog>
      )}
    </Section>
  );
}

function Rotations({ onRotate }: { readonly onRotate: (kind: Kind) => unknown }): JSX.Element {
  return (
    <>
      {(['dynamic', 'static'] as const).map((kind) => (
        <Button key={kind} onPress={() => onRotate(kind)}>
          {T.rotateKind[kind]}
        </Button>
      ))}
    </>
  );
}

interface KeyTableProps {
  readonly keys: readonly SigningKey[];
  /** Undefined where the role does not include it. */
  readonly onRetire: ((key: SigningKey) => unknown) | undefined;
}

function KeyTable({ keys, onRetire }: KeyTableProps): JSX.Element {
  const now = coreNow();
  const axis = axisOf(keys);
  const columns = [
    { head: T.key, cell: (key: SigningKey) => <KeyName of={key} /> },
    { head: T.life, cell: (key: SigningKey) => <LifeLine of={key} axis={axis} now={now} /> },
    { head: T.created, cell: ({ createdAt }: SigningKey) => <Time ms={createdAt} /> },
    { head: T.signsFrom, cell: ({ signsFrom }: SigningKey) => <Time ms={signsFrom} /> },
    { head: T.signsUntil, cell: ({ signsUntil }: SigningKey) => (signsUntil === null ? T.untilRotated : <Time ms={signsUntil} />) },
    {
      head: T.verifiesUntil,
      cell: ({ verifiesUntil }: SigningKey) => (verifiesUntil === null ? T.untilRetired : <Time ms={verifiesUntil} />),
    },
    ...(onRetire
      ? [
          {
            head: TEXTS.actions,
            cell: (key: SigningKey) => (
              <Button kind="danger" onPress={() => onRetire(key)} of={key.kid}>
                {T.retire}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return <Table caption={T.signingKeys} columns={columns} rows={keys} keyOf={({ kid }) => kid} />;
}

function KeyName({ of: { kid, kind, state } }: { readonly of: SigningKey }): JSX.Element {
  return (
    <div>
      <code>{kid}</code>
      <div>
        {T.kinds[kind]} <Badge tone={TONES[state]}>{T.states[state]}</Badge>
      </div>
    </div>
  );
}
