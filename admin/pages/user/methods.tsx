import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { inTenant } from '../../app/place.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { Badge, Section } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { ChangeContact, ChangePassword, JoinTenant, LinkTo, ResetLink } from './method-dialogs.tsx';
import { coreOf, type LoginMethod, nameOfMethod, type UserPart } from './user-answer.ts';

const T = TEXTS.user;

/** The dialogs of a login method. */
const DIALOGS = { contact: ChangeContact, password: ChangePassword, reset: ResetLink, tenant: JoinTenant, link: LinkTo } as const;

interface Opened {
  readonly dialog: keyof typeof DIALOGS;
  readonly method: LoginMethod;
}

/** How the user signs in, and what can be done to each way. */
export function Methods({ shown, reload }: UserPart): JSX.Element {
  const [opened, setOpened] = useState<Opened>();
  const { user } = shown;
  const columns = [
    { head: T.method, cell: (method: LoginMethod) => <MethodName method={method} /> },
    { head: T.verified, cell: (method: LoginMethod) => <Verification method={method} reload={reload} /> },
    { head: T.tenants, cell: (method: LoginMethod) => <Tenants method={method} reload={reload} /> },
    { head: T.joined, cell: ({ timeJoined }: LoginMethod) => <Time ms={timeJoined} /> },
    ...(can('users')
      ? [
          {
            head: TEXTS.actions,
            cell: (method: LoginMethod) => (
              <Actions method={method} shown={shown} reload={reload} open={(dialog) => setOpened({ dialog, method })} />
            ),
          },
        ]
      : []),
  ];
  const Opened = opened && DIALOGS[opened.dialog];
  return (
    <Section title={T.methods}>
      <Table caption={T.methods} columns={columns} rows={user.loginMethods} keyOf={({ recipeUserId }) => recipeUserId} />
      {opened && Opened && (
        <Opened
          method={opened.method}
          user={user}
          onClose={(isDone) => {
            setOpened(undefined);
            if (isDone) reload();
          }}
        />
      )}
    </Section>
  );
}

function MethodName({ method }: { readonly method: LoginMethod }): JSX.Element {
  return (
    <>
      <Badge>{TEXTS.recipes[method.recipeId]}</Badge>
      {nameOfMethod(method)}
      <br />
      {method.thirdParty && method.email !== undefined && (
        <>
          {method.thirdParty.id}: {method.thirdParty.userId}
          <br />
        </>
      )}
      <code>{method.recipeUserId}</code>
    </>
  );
}

interface MethodPart {
  readonly method: LoginMethod;
  readonly reload: () => void;
}

function Verification({ method, reload }: MethodPart): JSX.Element {
  const { email, verified, recipeUserId: userId } = method;
  const verify = async (): Promise<void> => {
    const client = coreOf(method);
    const { token } = await ok(client.POST('/recipe/user/email/verify/token', { body: { userId, email: email ?? '' } }));
    await ok(client.POST('/recipe/user/email/verify', { body: { method: 'token', token } }));
  };
  const forget = () => ok(core().POST('/recipe/user/email/verify/remove', { body: { userId, email: email ?? '' } }));
  return (
    <>
      <Badge tone={verified ? 'good' : 'plain'}>{verified ? T.isVerified : T.isUnverified}</Badge>
      {email !== undefined && can('users') && (
        <Button
          kind="quiet"
          of={email}
          onPress={() =>
            attempt<unknown>(verified ? forget : verify, verified ? T.unverifiedNow(email) : T.verifiedNow(email)).then(reload)
          }
        >
          {verified ? T.unverify : T.verify}
        </Button>
      )}
    </>
  );
}

function Tenants({ method, reload }: MethodPart): JSX.Element {
  const { tenantIds, recipeUserId } = method;
  const leave = async (tenantId: string): Promise<void> => {
    const at = core(inTenant(tenantId));
    const join = () =>
      attempt(() => ok(at.POST('/recipe/multitenancy/tenant/user', { body: { recipeUserId } })), T.joinedTenant(tenantId)).then(reload);
    const call = () => ok(at.POST('/recipe/multitenancy/tenant/user/remove', { body: { recipeUserId } }));
    await attempt(call, T.leftTenant(tenantId), () => void join());
    reload();
  };
  return (
    <>
      {tenantIds.length === 0 && T.noTenant}
      {tenantIds.map((id) => (
        <Badge key={id}>
          {id}
          {can('users') && (
            <Button kind="quiet" of={T.leaveTenant(id)} onPress={() => leave(id)}>
              ×
            </Button>
          )}
        </Badge>
      ))}
    </>
  );
}

type ActionsProps = UserPart & { readonly method: LoginMethod; readonly open: (dialog: keyof typeof DIALOGS) => void };

function Actions({ method, shown, reload, open }: ActionsProps): JSX.Element {
  const { user } = shown;
  const { recipeId, recipeUserId, email } = method;
  const name = nameOfMethod(method);
  const isLinked = user.isPrimaryUser && user.loginMethods.length > 1;
  const body = { recipeUserId };
  const unlink = async (): Promise<void> => {
    if (!(await confirmed({ title: T.unlink, text: T.unlinkText(recipeUserId === user.id), action: T.unlink }))) return;
    await attempt(() => ok(core().POST('/recipe/accountlinking/user/unlink', { body })), T.unlinked(name)).then(reload);
  };
  const makePrimary = async (): Promise<void> => {
    if (!(await confirmed({ title: T.makePrimary, text: T.makePrimaryText, action: T.makePrimary }))) return;
    await attempt(() => ok(core().POST('/recipe/accountlinking/user/primary', { body })), T.isPrimaryNow).then(reload);
  };
  const remove = async (): Promise<void> => {
    if (!(await confirmed({ title: T.removeMethod, text: T.removeMethodText, action: T.removeMethod, word: name }))) return;
    const call = () => ok(core().POST('/manage/v1/user/remove', { body: { userId: recipeUserId, removeAllLinkedAccounts: false } }));
    await attempt(call, T.removed(name)).then(reload);
  };
  const hasContact = recipeId === 'emailpassword' || recipeId === 'passwordless';
  return (
    <div class="actions">
      {recipeId === 'emailpassword' && email !== undefined && (
        <Button of={name} onPress={() => open('reset')}>
          {T.resetLink}
        </Button>
      )}
      {recipeId === 'emailpassword' && (
        <Button of={name} onPress={() => open('password')}>
          {T.setPassword}
        </Button>
      )}
      {hasContact && (
        <Button of={name} onPress={() => open('contact')}>
          {T.changeContact}
        </Button>
      )}
      <Button of={name} onPress={() => open('tenant')}>
        {T.joinTenant}
      </Button>
      {!user.isPrimaryUser && (
        <Button of={name} onPress={makePrimary}>
          {T.makePrimary}
        </Button>
      )}
      {!user.isPrimaryUser && (
        <Button of={name} onPress={() => open('link')}>
          {T.link}
        </Button>
      )}
      {isLinked && (
        <Button of={name} onPress={unlink}>
          {T.unlink}
        </Button>
      )}
      {isLinked && (
        <Button kind="danger" of={name} onPress={remove}>
          {T.removeMethod}
        </Button>
      )}
    </div>
  );
}
