import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { Field, Form, type Values } from '../ui/form.tsx';
import { answered, core, wordsFor } from './api.ts';
import { BASE_PLACE } from './place.ts';

/** How the input for a one-time code behaves everywhere. */
export const CODE_INPUT = {
  name: 'totp',
  required: true,
  inputMode: 'numeric',
  autoComplete: 'one-time-code',
  pattern: '[0-9]{6}',
  maxLength: 6,
} as const;

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Password first, and the code where the core asks for it. @param email of a session that ended */
export function SignIn({ email = '' }: { readonly email?: string }): JSX.Element {
  const [known, setKnown] = useState<Credentials | undefined>();
  const send = async (credentials: Credentials & { readonly totp?: string }): Promise<void> => {
    const client = core(BASE_PLACE);
    const answer = await answered(client.POST('/manage/v1/operator/sign-in', { body: credentials }));
    if (answer.status === 'TOTP_REQUIRED_ERROR') setKnown(credentials);
    else if (answer.status !== 'OK') throw new Error(wordsFor(answer));
    // The browser may have refused to keep the cookie.
    else if ((await answered(client.GET('/manage/v1/operator'))).status !== 'OK') throw new Error(TEXTS.noCookie);
  };
  if (known) {
    return (
      <Form action={TEXTS.signIn} onCancel={() => setKnown(undefined)} onSubmit={({ totp = '' }) => send({ ...known, totp })}>
        <Field label={TEXTS.code} hint={TEXTS.codeHint} {...CODE_INPUT} ref={focus} />
      </Form>
    );
  }
  return (
    <Form action={TEXTS.signIn} onSubmit={(values: Values) => send({ email: values['email'] ?? '', password: values['password'] ?? '' })}>
      <Field label={TEXTS.email} name="email" type="email" required autoComplete="username" defaultValue={email} ref={focus} />
      <Field label={TEXTS.password} name="password" type="password" required autoComplete="current-password" />
    </Form>
  );
}

const focus = (input: HTMLInputElement | null): void => {
  if (input && document.activeElement?.tagName !== 'INPUT') input.focus();
};
