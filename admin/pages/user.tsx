import type { JSX } from 'preact';
import { answered, core, ok } from '../app/api.ts';
import { goTo, linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { confirmed } from '../ui/confirm.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Badge, ErrorNote, Facts, PageFrame, Section } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { attempt } from '../ui/toasts.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Events } from './events.tsx';
import { Methods } from './user/methods.tsx';
import { Metadata } from './user/metadata.tsx';
import { Passkeys, TotpDevices } from './user/second-factors.tsx';
import { Roles } from './user/roles.tsx';
import { UserSessions } from './user/user-sessions.tsx';
import { Mapping } from './user/mapping.tsx';
import { nameOfUser, type UserAnswer, type UserPart } from './user/user-answer.ts';

const T = TEXTS.user;

/** Everything about a user, and everything that can be done. @param item any id of the user */
export default function UserPage({ item }: { readonly item: string }): JSX.Element {
  const { data, error, reload } = useAnswer(
    (signal) => answered(core().GET('/manage/v1/user', { params: { query: { userId: item } }, signal })),
    [item],
  );
  if (data?.status === 'UNKNOWN_USER_ID_ERROR') return <Gone item={item} />;
  if (!data) return error === undefined ? <PageFrame title={T.loading}>{null}</PageFrame> : <ErrorNote text={error} retry={reload} />;
  return (
    <>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      <Shown shown={data} reload={reload} />
    </>
  );
}

function Gone({ item }: { readonly item: string }): JSX.Element {
  return (
    <PageFrame title={T.unknown}>
      <p>{T.unknownWhy(item)}</p>
      <p>
        <a href={linkTo('users')}>{TEXTS.goTo(TEXTS.users.title)}</a>
      </p>
    </PageFrame>
  );
}

function Shown({ shown, reload }: UserPart): JSX.Element {
  const { user, isDisabled, locked, lastActive } = shown;
  const isLocked = locked.signIn.length > 0 || locked.totp.length > 0;
  const deeds = can('users') ? deedsFor(shown, reload) : [];
  return (
    <PageFrame
      title={nameOfUser(user)}
      lead={
        <>
          {isDisabled && <Badge tone="bad">{T.disabled}</Badge>}
          {isLocked && <Badge tone="warning">{T.locked}</Badge>}
          {user.isPrimaryUser && <Badge>{T.primary}</Badge>}
        </>
      }
      actions={deeds.map(({ title, isDangerous, run }) => (
        <Button key={title} kind={isDangerous ? 'danger' : 'plain'} onPress={run}>
          {title}
        </Button>
      ))}
    >
      <Facts
        of={[
          [T.id, <Copyable key="id" text={user.id} label={T.id} />],
          [T.joined, <Time key="joined" ms={user.timeJoined} />],
          [T.lastActive, <Time key="active" ms={lastActive} />],
          [T.tenants, user.tenantIds.map((id) => <Badge key={id}>{id}</Badge>)],
          [T.lockedIn, isLocked ? [...new Set([...locked.signIn, ...locked.totp])].join(', ') : undefined],
        ]}
      />
      <Methods shown={shown} reload={reload} />
      <UserSessions shown={shown} reload={reload} />
      <Roles shown={shown} reload={reload} />
      <Metadata shown={shown} reload={reload} />
      <TotpDevices shown={shown} reload={reload} />
      <Passkeys shown={shown} reload={reload} />
      <Mapping shown={shown} reload={reload} />
      <Section title={T.trail}>
        <Events filter={{ userId: user.id }} empty={TEXTS.audit.none} />
      </Section>
    </PageFrame>
  );
}

interface Deed {
  readonly title: string;
  readonly isDangerous?: boolean;
  readonly run: () => Promise<unknown>;
}

/** What can be done to the user as a whole. */
function deedsFor({ user, isDisabled, locked }: UserAnswer, reload: () => void): readonly Deed[] {
  const body = { userId: user.id };
  const name = nameOfUser(user);
  const enable = () => attempt(() => ok(core().POST('/manage/v1/user/enable', { body })), T.enabled(name)).then(reload);
  const disable = () =>
    attempt(
      () => ok(core().POST('/manage/v1/user/disable', { body })),
      T.isDisabled(name),
      () => void enable(),
    ).then(reload);
  const unlock = () => attempt(() => ok(core().POST('/manage/v1/user/unlock', { body })), T.unlocked(name)).then(reload);
  const signOut = async () => {
    if (await confirmed({ title: T.endAll, text: T.endAllText, action: T.endAll }))
      await attempt(() => ok(core().POST('/manage/v1/user/sign-out', { body })), T.ended).then(reload);
  };
  const remove = async () => {
    if (!(await confirmed({ title: T.remove, text: T.removeText(user.loginMethods.length), action: T.remove, word: name }))) return;
    if (await attempt(() => ok(core().POST('/manage/v1/user/remove', { body })), T.removed(name))) goTo('users');
  };
  const isLocked = locked.signIn.length > 0 || locked.totp.length > 0;
  return [
    ...(isLocked ? [{ title: T.unlock, run: unlock }] : []),
    isDisabled ? { title: T.enable, run: enable } : { title: T.disable, run: disable },
    { title: T.endAll, run: signOut },
    { title: T.remove, isDangerous: true, run: remove },
  ];
}
