import type { JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Form, UserName } from '../ui/form.tsx';
import { Badge, ErrorNote, Facts, PageFrame, Section } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { attempt, say } from '../ui/toasts.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { core, ok } from './api.ts';
import { CodeRemoval, Enrolment } from './one-time-codes.tsx';
import { BASE_PLACE } from './place.ts';
import { operator, state } from './session.ts';

/** The operator's own page: role, sessions, password and one-time codes. */
export default function Account(): JSX.Element {
  const who = operator.value;
  return (
    <PageFrame title={TEXTS.myAccount}>
      <Facts
        of={[
          [TEXTS.email, who?.email],
          [TEXTS.role, who?.role],
          [TEXTS.mayUse, who?.scopes.join(', ')],
          [TEXTS.sessionEnds, state.value.is === 'signed-in' ? <Time ms={state.value.who.session.expiresAt} /> : undefined],
        ]}
      />
      <OwnSessions />
      <Section title={TEXTS.codes}>{who?.hasTotp ? <CodeRemoval /> : <Enrolment />}</Section>
      <Section title={TEXTS.password}>
        <ChangePassword />
      </Section>
    </PageFrame>
  );
}

function OwnSessions(): JSX.Element {
  const { data, error, reload } = useAnswer((signal) => ok(core(BASE_PLACE).GET('/manage/v1/operator/sessions', { signal })), []);
  const end = (id?: string): Promise<void> => {
    const call = () => ok(core(BASE_PLACE).POST('/manage/v1/operator/sessions/end', { body: id === undefined ? {} : { id } }));
    return attempt(call, TEXTS.sessionEnded).then(reload);
  };
  const columns = [
    { head: TEXTS.begun, cell: ({ createdAt }: OwnSession) => <Time ms={createdAt} /> },
    { head: TEXTS.ends, cell: ({ expiresAt }: OwnSession) => <Time ms={expiresAt} /> },
    {
      head: TEXTS.actions,
      cell: ({ id, isThis }: OwnSession) =>
        isThis ? <Badge tone="good">{TEXTS.thisBrowser}</Badge> : <Button onPress={() => end(id)}>{TEXTS.end}</Button>,
    },
  ];
  return (
    <Section title={TEXTS.mySessions} actions={<Button onPress={() => end()}>{TEXTS.endOthers}</Button>}>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && <Table caption={TEXTS.mySessions} columns={columns} rows={data.sessions} keyOf={({ id }) => id} />}
    </Section>
  );
}

interface OwnSession {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly isThis: boolean;
}

function ChangePassword(): JSX.Element {
  return (
    <Form
      action={TEXTS.changePassword}
      onSubmit={async ({ password = '', newPassword = '' }) => {
        await ok(core(BASE_PLACE).POST('/manage/v1/operator/password', { body: { password, newPassword } }));
        say(TEXTS.passwordChanged);
      }}
    >
      <UserName email={operator.value?.email ?? ''} />
      <Field label={TEXTS.presentPassword} name="password" type="password" required autoComplete="current-password" />
      <Field label={TEXTS.newPassword} name="newPassword" type="password" required autoComplete="new-password" />
    </Form>
  );
}
