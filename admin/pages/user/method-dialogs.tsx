import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answered, core, ok, wordsFor } from '../../app/api.ts';
import { inTenant } from '../../app/place.ts';
import { TEXTS } from '../../texts.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, UserName } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toasts.tsx';
import { coreOf, type LoginMethod, nameOfMethod, type User } from './user-answer.ts';

const T = TEXTS.user;

interface MethodDialogProps {
  readonly method: LoginMethod;
  readonly user: User;
  readonly onClose: (isDone: boolean) => void;
}

/** Another email or phone number. */
export function ChangeContact({ method, onClose }: MethodDialogProps): JSX.Element {
  const { recipeId, recipeUserId, email, phoneNumber } = method;
  const isPasswordless = recipeId === 'passwordless';
  const header = { rid: isPasswordless ? 'passwordless' : 'emailpassword' } as const;
  return (
    <FormDialog
      title={T.changeContact}
      action={TEXTS.save}
      done={T.contactChanged}
      onClose={onClose}
      onSubmit={(values) => {
        const body = isPasswordless
          ? { recipeUserId, email: values['email'] || null, phoneNumber: values['phoneNumber'] || null }
          : { recipeUserId, email: values['email'] ?? '' };
        return ok(coreOf(method).PUT('/recipe/user', { params: { header }, body }));
      }}
    >
      <Field label={TEXTS.email} name="email" type="email" required={!isPasswordless} defaultValue={email ?? ''} autoComplete="off" />
      {isPasswordless && <Field label={T.phone} name="phoneNumber" type="tel" defaultValue={phoneNumber ?? ''} autoComplete="off" />}
    </FormDialog>
  );
}

/** A new password, which an operator chooses. */
export function ChangePassword({ method, onClose }: MethodDialogProps): JSX.Element {
  return (
    <FormDialog
      title={T.setPassword}
      action={T.setPassword}
      done={T.passwordSet}
      onClose={onClose}
      onSubmit={({ password = '' }) => ok(coreOf(method).PUT('/recipe/user', { body: { recipeUserId: method.recipeUserId, password } }))}
    >
      <p>{T.setPasswordText}</p>
      <UserName email={nameOfMethod(method)} />
      <Field label={TEXTS.newPassword} name="password" type="password" required autoComplete="new-password" />
    </FormDialog>
  );
}

/** Makes a token, and the link that the site of the application takes. */
export function ResetLink({ method, onClose }: MethodDialogProps): JSX.Element {
  const [made, setMade] = useState<{ readonly site: string; readonly token: string }>();
  const { recipeUserId: userId, email = '', tenantIds } = method;
  if (made) {
    const link = `${made.site.replace(/\/+$/, '')}/auth/reset-password?token=${encodeURIComponent(made.token)}&tenantId=${encodeURIComponent(tenantIds[0] ?? 'public')}`;
    return (
      <Dialog title={T.resetLink} onClose={() => onClose(true)}>
        <p>{T.resetLinkMade(email)}</p>
        <Copyable text={made.site === '' ? made.token : link} label={T.resetLink} />
        <p class="hint">{T.resetLinkHint}</p>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={T.resetLink}
      action={T.makeLink}
      onClose={(isDone) => !isDone && onClose(false)}
      onSubmit={async ({ site = '' }) => {
        const { token } = await ok(coreOf(method).POST('/recipe/user/password/reset/token', { body: { userId, email } }));
        setMade({ site, token });
      }}
    >
      <p>{T.resetLinkText(email)}</p>
      <Field label={T.site} name="site" type="url" placeholder="https://example.com" hint={T.siteHint} />
    </FormDialog>
  );
}

/** Brings the login method into another tenant. */
export function JoinTenant({ method, onClose }: MethodDialogProps): JSX.Element {
  return (
    <FormDialog
      title={T.joinTenant}
      action={T.joinTenant}
      onClose={onClose}
      onSubmit={async ({ tenantId = '' }) => {
        await ok(core(inTenant(tenantId)).POST('/recipe/multitenancy/tenant/user', { body: { recipeUserId: method.recipeUserId } }));
        say(T.joinedTenant(tenantId));
      }}
    >
      <Field label={TEXTS.tenantId} name="tenantId" required autoComplete="off" />
    </FormDialog>
  );
}

/** Links the login method to a primary user; the core says first whether it could. */
export function LinkTo({ method, onClose }: MethodDialogProps): JSX.Element {
  const [found, setFound] = useState<User>();
  const { recipeUserId } = method;
  if (!found) {
    return (
      <Dialog title={T.link} onClose={() => onClose(false)}>
        <Form
          action={T.check}
          onCancel={() => onClose(false)}
          onSubmit={async ({ who = '' }) => setFound(await linkable(recipeUserId, who.trim()))}
        >
          <p>{T.linkText}</p>
          <Field label={T.linkWith} name="who" required autoComplete="off" hint={T.linkWithHint} />
        </Form>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={T.link}
      action={T.link}
      done={T.linked}
      onClose={onClose}
      onSubmit={() => ok(core().POST('/recipe/accountlinking/user/link', { body: { recipeUserId, primaryUserId: found.id } }))}
    >
      <p>{T.linkReady(nameOfMethod(method), found.emails[0] ?? found.phoneNumbers[0] ?? found.id)}</p>
    </FormDialog>
  );
}

/** The user by id or email, if the login method could be linked to it. @throws Error with what is in the way */
async function linkable(recipeUserId: string, who: string): Promise<User> {
  const byId = await answered(core().GET('/manage/v1/user', { params: { query: { userId: who } } }));
  const others =
    byId.status === 'OK' ? [byId.user] : (await ok(core().GET('/manage/v1/users', { params: { query: { email: who, limit: 20 } } }))).users;
  const exact = others.filter(({ id, emails }) => id !== recipeUserId && (byId.status === 'OK' || emails.includes(who.toLowerCase())));
  const user = exact.find(({ isPrimaryUser }) => isPrimaryUser) ?? exact[0];
  if (!user) throw new Error(T.nobodyCalled(who));
  const query = { recipeUserId, primaryUserId: user.id };
  const check = await answered(core().GET('/recipe/accountlinking/user/link/check', { params: { query } }));
  if (check.status !== 'OK') throw new Error(wordsFor(check));
  return user;
}
