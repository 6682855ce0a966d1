import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answered, core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { goTo, linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { confirmed } from '../ui/confirm.tsx';
import { Area, Field } from '../ui/form.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Badge, ErrorNote, PageFrame, Section } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { attempt } from '../ui/toasts.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { linesOf } from './roles.tsx';

const T = TEXTS.roles;
/** Names on the page at first; the core answers all members at once. */
const STEP = 100;

/** A role with its permissions, and its members in the tenant. @param item the name of the role */
export default function Role({ item: role }: { readonly item: string }): JSX.Element {
  const remove = async (): Promise<void> => {
    if (!(await confirmed({ title: T.remove, text: T.removeText, action: T.remove, word: role }))) return;
    if (await attempt(() => ok(core().POST('/recipe/role/remove', { body: { role } })), T.removed(role))) goTo('roles');
  };
  const actions = (
    <Button kind="danger" onPress={remove}>
      {T.remove}
    </Button>
  );
  return (
    <PageFrame title={role} lead={<a href={linkTo('roles')}>{TEXTS.goTo(T.title)}</a>} actions={can('all') && actions}>
      <Permissions role={role} />
      <Members role={role} />
    </PageFrame>
  );
}

function Permissions({ role }: { readonly role: string }): JSX.Element {
  const [isAdding, setAdding] = useState(false);
  const { data, error, reload } = useAnswer(
    (signal) => answered(core().GET('/recipe/role/permissions', { params: { query: { role } }, signal })),
    [role],
  );
  const add = (permissions: string[]) => ok(core().PUT('/recipe/role', { body: { role, permissions } }));
  const take = async (permission: string): Promise<void> => {
    const call = () => ok(core().POST('/recipe/role/permissions/remove', { body: { role, permissions: [permission] } }));
    const undo = () => void attempt(() => add([permission]), T.permissionAdded(permission)).then(reload);
    await attempt(call, T.permissionTaken(permission), undo);
    reload();
  };
  const permissions = data?.status === 'OK' ? data.permissions.toSorted() : [];
  return (
    <Section title={T.permissions} actions={can('all') && <Button onPress={() => setAdding(true)}>{T.addPermissions}</Button>}>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data?.status === 'UNKNOWN_ROLE_ERROR' && <p>{TEXTS.statuses[data.status]}</p>}
      {data?.status === 'OK' && permissions.length === 0 && <p>{T.noPermissions}</p>}
      <p>
        {permissions.map((permission) => (
          <Badge key={permission}>
            {permission}
            {can('all') && (
              <Button kind="quiet" of={T.takePermission(permission)} onPress={() => take(permission)}>
                ×
              </Button>
            )}
          </Badge>
        ))}
      </p>
      {isAdding && (
        <FormDialog
          title={T.addPermissions}
          action={T.addPermissions}
          onClose={(isDone) => {
            setAdding(false);
            if (isDone) reload();
          }}
          onSubmit={({ permissions: text = '' }) => add(linesOf(text))}
        >
          <Area label={T.permissions} name="permissions" required rows={4} hint={T.permissionsHint} />
        </FormDialog>
      )}
    </Section>
  );
}

function Members({ role }: { readonly role: string }): JSX.Element {
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState(STEP);
  const { data, error, reload } = useAnswer(
    (signal) => answered(core().GET('/recipe/role/users', { params: { query: { role } }, signal })),
    [role],
  );
  const give = (userId: string) => ok(core().PUT('/recipe/user/role', { body: { userId, role } }));
  const take = async (userId: string): Promise<void> => {
    const call = () => ok(core().POST('/recipe/user/role/remove', { body: { userId, role } }));
    await attempt(call, T.memberTaken(userId), () => void attempt(() => give(userId), T.memberAdded(userId)).then(reload));
    reload();
  };
  const members = data?.status === 'OK' ? data.users : [];
  const columns = [
    { head: T.user, cell: (id: string) => <a href={linkTo('users', id)}>{id}</a> },
    ...(can('users')
      ? [
          {
            head: TEXTS.actions,
            cell: (id: string) => (
              <Button of={id} onPress={() => take(id)}>
                {T.takeMember}
              </Button>
            ),
          },
        ]
      : []),
  ];
  const title = T.members(members.length, nameOf(place.value));
  return (
    <Section title={title} actions={can('users') && <Button onPress={() => setAdding(true)}>{T.addMember}</Button>}>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data?.status === 'OK' && members.length === 0 && <p>{T.noMembers}</p>}
      {members.length > 0 && <Table caption={title} columns={columns} rows={members.slice(0, shown)} keyOf={(id) => id} />}
      {members.length > shown && <Button onPress={() => setShown(shown + STEP)}>{TEXTS.more}</Button>}
      {isAdding && (
        <FormDialog
          title={T.addMember}
          action={T.addMember}
          done={T.given}
          onClose={(isDone) => {
            setAdding(false);
            if (isDone) reload();
          }}
          onSubmit={async ({ who = '' }) => {
            // Roles may be given to ids that nobody has; here that would be a slip.
            const { user } = await ok(core().GET('/manage/v1/user', { params: { query: { userId: who.trim() } } }));
            await give(user.id);
          }}
        >
          <Field label={T.userId} name="who" required autoComplete="off" />
        </FormDialog>
      )}
    </Section>
  );
}
