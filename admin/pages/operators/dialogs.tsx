import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { BASE_PLACE } from '../../app/place.ts';
import { TEXTS } from '../../texts.ts';
import { Choice, Field } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Operator } from './operator-answer.ts';

const T = TEXTS.operators;
const ROLES = (['viewer', 'support', 'admin'] as const).map((role) => [role, T.roles[role]] as const);

interface Closed {
  readonly onClose: (isDone: boolean) => void;
}

/** A new dashboard user with a role. */
export function AddOperator({ onClose }: Closed): JSX.Element {
  return (
    <FormDialog
      title={T.add}
      action={T.add}
      done={T.added}
      onClose={onClose}
      onSubmit={({ email = '', password = '', role = '' }) =>
        ok(core(BASE_PLACE).POST('/manage/v1/operators/add', { body: { email, password, role } }))
      }
    >
      <Field label={TEXTS.email} name="email" type="email" required autoComplete="off" />
      <Field label={TEXTS.password} name="password" type="password" required autoComplete="new-password" hint={T.passwordHint} />
      <Choice label={TEXTS.role} name="role" options={ROLES} />
    </FormDialog>
  );
}

interface GrantRoleProps extends Closed {
  readonly email: string;
  /** The present one. */
  readonly role: Operator['role'] | undefined;
  readonly isSelf: boolean;
}

/** A role, or another one. */
export function GrantRole({ email, role, isSelf, onClose }: GrantRoleProps): JSX.Element {
  return (
    <FormDialog
      title={role === undefined ? T.giveRole : T.changeRole}
      action={TEXTS.save}
      done={T.granted}
      isDangerous={isSelf}
      onClose={onClose}
      onSubmit={(values) => ok(core(BASE_PLACE).POST('/manage/v1/operators/grant', { body: { email, role: values['role'] ?? '' } }))}
    >
      <p>{T.grantText(email)}</p>
      {isSelf && <p class="note warning">{T.selfRoleWarning}</p>}
      <Choice label={TEXTS.role} name="role" {...(role !== undefined && { value: role })} options={ROLES} />
    </FormDialog>
  );
}
