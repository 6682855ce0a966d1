import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { inTenant, place } from '../../app/place.ts';
import { linkTo } from '../../app/route.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Badge, Section } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { mustBeThere, type UserAnswer, type UserPart } from './user-answer.ts';

type RolesOfTenant = UserAnswer['roles'][number];

const T = TEXTS.user;

/** Roles by tenant. */
export function Roles({ shown, reload }: UserPart): JSX.Element {
  const [isAdding, setAdding] = useState(false);
  const { user, roles } = shown;
  const take = async (tenantId: string, role: string): Promise<void> => {
    const client = core(inTenant(tenantId));
    const body = { userId: user.id, role };
    const give = () => mustBeThere(user.id).then(() => ok(client.PUT('/recipe/user/role', { body })));
    const giveBack = () => attempt(give, T.roleGiven(role)).then(reload);
    await attempt(
      () => ok(client.POST('/recipe/user/role/remove', { body })),
      T.roleTaken(role),
      () => void giveBack(),
    );
    reload();
  };
  const columns = [
    { head: T.tenants, cell: ({ tenantId }: RolesOfTenant) => tenantId },
    {
      head: T.roles,
      cell: ({ tenantId, roles: names }: RolesOfTenant) =>
        names.map((role) => (
          <Badge key={role}>
            {role}
            {can('users') && (
              <Button kind="quiet" of={T.takeRole(role)} onPress={() => take(tenantId, role)}>
                ×
              </Button>
            )}
          </Badge>
        )),
    },
  ];
  return (
    <Section title={T.roles} actions={can('users') && <Button onPress={() => setAdding(true)}>{T.giveRole}</Button>}>
      {roles.length === 0 ? (
        <p>{T.noRoles}</p>
      ) : (
        <Table caption={T.roles} columns={columns} rows={roles} keyOf={({ tenantId }) => tenantId} />
      )}
      {isAdding && (
        <GiveRole
          shown={shown}
          onClose={(isDone) => {
            setAdding(false);
            if (isDone) reload();
          }}
        />
      )}
    </Section>
  );
}

function GiveRole({ shown, onClose }: { readonly shown: UserAnswer; readonly onClose: (isDone: boolean) => void }): JSX.Element {
  const { data } = useAnswer((signal) => ok(core().GET('/recipe/roles', { signal })), []);
  const { user } = shown;
  const tenantIds = [...new Set([place.value.tenantId, ...user.tenantIds])];
  const names = data?.roles ?? [];
  return (
    <FormDialog
      title={T.giveRole}
      action={T.giveRole}
      done={T.given}
      onClose={onClose}
      onSubmit={async ({ tenantId = '', role = '' }) => {
        await mustBeThere(user.id);
        return ok(core(inTenant(tenantId)).PUT('/recipe/user/role', { body: { userId: user.id, role } }));
      }}
    >
      {data && names.length === 0 && (
        <p>
          {T.noRolesAtAll} <a href={linkTo('roles')}>{TEXTS.goTo(T.roles)}</a>
        </p>
      )}
      <Choice label={T.role} name="role" options={names.map((name) => [name, name])} />
      <Choice label={TEXTS.tenantId} name="tenantId" options={tenantIds.map((id) => [id, id])} />
    </FormDialog>
  );
}
