import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { BASE_PLACE } from '../app/place.ts';
import { operator } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { confirmed } from '../ui/confirm.tsx';
import { Badge, ErrorNote, PageFrame, Section } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { attempt } from '../ui/toasts.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { AddOperator, GrantRole } from './operators/dialogs.tsx';
import type { Operator } from './operators/operator-answer.ts';

const T = TEXTS.operators;

const isSelf = ({ userId }: Operator): boolean => userId === operator.value?.userId;

/** Dashboard users, with a role and without. They belong to the core, whatever app one looks at. */
export default function Operators(): JSX.Element {
  const { data, error, reload } = useAnswer((signal) => ok(core(BASE_PLACE).GET('/manage/v1/operators', { signal })), []);
  const users = useAnswer((signal) => ok(core(BASE_PLACE).GET('/recipe/dashboard/users', { signal })), []);
  const [isAdding, setAdding] = useState(false);
  const [granting, setGranting] = useState<{ readonly email: string; readonly of: Operator | undefined }>();
  const reloadAll = (): void => {
    reload();
    users.reload();
  };
  const known = new Set(data?.operators.map(({ userId }) => userId));
  const others = data && users.data?.users.filter(({ userId }) => !known.has(userId));
  return (
    <PageFrame
      title={T.title}
      lead={T.lead}
      actions={
        <Button kind="primary" keys="n" onPress={() => setAdding(true)}>
          {T.add}
        </Button>
      }
    >
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && (
        <Table
          caption={T.title}
          columns={columnsFor((of) => setGranting({ email: of.email, of }), reloadAll)}
          rows={data.operators}
          keyOf={({ userId }) => userId}
        />
      )}
      {data?.operators.length === 0 && <div class="empty">{T.none}</div>}
      <WithoutRole
        emails={others?.map(({ email }) => email) ?? []}
        error={users.error}
        onGrant={(email) => setGranting({ email, of: undefined })}
      />
      {isAdding && (
        <AddOperator
          onClose={(isDone) => {
            setAdding(false);
            if (isDone) reloadAll();
          }}
        />
      )}
      {granting && (
        <GrantRole
          email={granting.email}
          role={granting.of?.role}
          isSelf={granting.of !== undefined && isSelf(granting.of)}
          onClose={(isDone) => {
            setGranting(undefined);
            if (isDone) reloadAll();
          }}
        />
      )}
    </PageFrame>
  );
}

function columnsFor(onGrant: (operator: Operator) => void, onChanged: () => void) {
  return [
    {
      head: TEXTS.email,
      cell: (one: Operator) => (
        <>
          {one.email} {isSelf(one) && <Badge tone="good">{T.you}</Badge>}
        </>
      ),
    },
    {
      head: TEXTS.role,
      cell: ({ role, grantedAt }: Operator) => (
        <>
          <Badge>{role}</Badge> {T.since} <Time ms={grantedAt} />
        </>
      ),
    },
    {
      head: TEXTS.codes,
      cell: ({ hasTotp }: Operator) => <Badge tone={hasTotp ? 'good' : 'plain'}>{hasTotp ? T.hasCodes : T.noCodes}</Badge>,
    },
    { head: T.sessions, cell: (one: Operator) => <Sessions of={one} /> },
    { head: TEXTS.actions, cell: (one: Operator) => <Actions of={one} onGrant={onGrant} onChanged={onChanged} /> },
  ];
}

function Sessions({ of: { sessions } }: { readonly of: Operator }): JSX.Element {
  if (sessions.length === 0) return <>{TEXTS.none}</>;
  return (
    <ul class="bare">
      {sessions.map(({ id, usedAt, address }) => (
        <li key={id}>
          {T.from(address)} <Time ms={usedAt} />
        </li>
      ))}
    </ul>
  );
}

interface ActionsProps {
  readonly of: Operator;
  readonly onGrant: (operator: Operator) => void;
  readonly onChanged: () => void;
}

/** Each ends sessions: of oneself, that of this page too, so that one is warned. */
function Actions({ of, onGrant, onChanged }: ActionsProps): JSX.Element {
  const { email, sessions, hasTotp } = of;
  const body = { email };
  const warning = isSelf(of) ? ` ${T.selfWarning}` : '';
  const ask = async (title: string, text: string, call: () => Promise<unknown>, done: string): Promise<void> => {
    if (!(await confirmed({ title, text: text + warning, action: title, ...(title === T.revoke && { word: email }) }))) return;
    await attempt(call, done);
    onChanged();
  };
  const end = () => ok(core(BASE_PLACE).POST('/manage/v1/operators/sessions/end', { body }));
  const removeCodes = () => ok(core(BASE_PLACE).POST('/manage/v1/operators/totp/remove', { body }));
  const revoke = () => ok(core(BASE_PLACE).POST('/manage/v1/operators/revoke', { body }));
  const selfRole = isSelf(of) ? ` ${T.selfRoleWarning}` : '';
  return (
    <div class="actions">
      <Button onPress={() => onGrant(of)} of={email}>
        {T.changeRole}
      </Button>
      {sessions.length > 0 && (
        <Button onPress={() => ask(T.endSessions, T.endSessionsText(email), end, TEXTS.sessionEnded)} of={email}>
          {T.endSessions}
        </Button>
      )}
      {hasTotp && (
        <Button onPress={() => ask(T.removeCodes, T.removeCodesText(email), removeCodes, T.codesRemoved)} of={email}>
          {T.removeCodes}
        </Button>
      )}
      <Button kind="danger" onPress={() => ask(T.revoke, T.revokeText(email) + selfRole, revoke, T.revoked(email))} of={email}>
        {T.revoke}
      </Button>
    </div>
  );
}

interface WithoutRoleProps {
  readonly emails: readonly string[];
  readonly error: string | undefined;
  readonly onGrant: (email: string) => void;
}

function WithoutRole({ emails, error, onGrant }: WithoutRoleProps): JSX.Element {
  const columns = [
    { head: TEXTS.email, cell: (email: string) => email },
    {
      head: TEXTS.actions,
      cell: (email: string) => (
        <Button onPress={() => onGrant(email)} of={email}>
          {T.giveRole}
        </Button>
      ),
    },
  ];
  return (
    <Section title={T.withoutRole}>
      <p class="hint">{T.withoutRoleHint}</p>
      {error !== undefined && <ErrorNote text={error} />}
      {emails.length > 0 && <Table caption={T.withoutRole} columns={columns} rows={emails} keyOf={(email) => email} />}
    </Section>
  );
}
