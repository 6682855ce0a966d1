import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { goTo } from '../../app/route.ts';
import { TEXTS } from '../../texts.ts';
import { Choice, Field } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ResetLink } from './method-dialogs.tsx';
import type { User } from './user-answer.ts';

const T = TEXTS.users;
const RANDOM_BYTES = 32;

/** A password that nobody knows, for who is to choose one by a link. The ending is for rules that want every kind of sign. */
function unknownPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return `${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}aA1!`;
}

/** Makes a user of the tenant, with a password or with a link to choose one. */
export function CreateUser({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [way, setWay] = useState('link');
  const [made, setMade] = useState<User>();
  const [method] = made?.loginMethods ?? [];
  if (made && method) return <ResetLink method={method} user={made} onClose={() => goTo('users', made.id)} />;
  return (
    <FormDialog
      title={T.create}
      action={T.create}
      done={T.created}
      onClose={(isDone) => !isDone && onClose()}
      onSubmit={async ({ email = '', password = '' }) => {
        const body = { email: email.trim(), password: way === 'link' ? unknownPassword() : password };
        const { user } = await ok(core().POST('/recipe/signup', { body }));
        if (way === 'link' && 'loginMethods' in user) setMade(user);
        else goTo('users', user.id);
      }}
    >
      <Field label={TEXTS.email} name="email" type="email" required autoComplete="off" />
      <Choice
        label={T.firstPassword}
        name="way"
        value={way}
        options={[
          ['link', T.byLink],
          ['password', T.byPassword],
        ]}
        onChange={setWay}
      />
      {way === 'password' && <Field label={TEXTS.password} name="password" type="password" required autoComplete="new-password" />}
    </FormDialog>
  );
}
