import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Area, Field } from '../ui/form.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { ErrorNote, PageFrame } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { useAnswer } from '../ui/use-answer.ts';

const T = TEXTS.roles;

/** Permissions, one a line. */
export const linesOf = (text: string): string[] => [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean);

/** The roles of the app. */
export default function Roles(): JSX.Element {
  const [isCreating, setCreating] = useState(false);
  const { data, error, reload } = useAnswer((signal) => ok(core().GET('/recipe/roles', { signal })), []);
  const columns = [{ head: T.role, cell: (role: string) => <a href={linkTo('roles', role)}>{role}</a> }];
  const create = (
    <Button kind="primary" keys="n" onPress={() => setCreating(true)}>
      {T.create}
    </Button>
  );
  return (
    <PageFrame title={T.title} lead={T.lead(place.value.appId)} actions={can('all') && create}>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && data.roles.length > 0 && <Table caption={T.title} columns={columns} rows={data.roles.toSorted()} keyOf={(role) => role} />}
      {data?.roles.length === 0 && <div class="empty">{T.none}</div>}
      {isCreating && (
        <FormDialog
          title={T.create}
          action={T.create}
          done={T.created}
          onClose={(isDone) => {
            setCreating(false);
            if (isDone) reload();
          }}
          onSubmit={({ role = '', permissions = '' }) =>
            ok(core().PUT('/recipe/role', { body: { role: role.trim(), permissions: linesOf(permissions) } }))
          }
        >
          <Field label={T.role} name="role" required autoComplete="off" hint={T.createHint} />
          <Area label={T.permissions} name="permissions" rows={4} hint={T.permissionsHint} />
        </FormDialog>
      )}
    </PageFrame>
  );
}
