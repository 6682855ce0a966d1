import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import { TEXTS } from '../texts.ts';
import { Copyable } from '../ui/copyable.tsx';
import { Field, Form, UserName } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { core, ok } from './api.ts';
import { BASE_PLACE } from './place.ts';
import { operator } from './session.ts';
import { CODE_INPUT } from './sign-in.tsx';

const PASSWORD_INPUT = { name: 'password', type: 'password', required: true, autoComplete: 'current-password' } as const;

/** Sets up one-time codes: the password, the secret for an app, and a code that proves that the app works. */
export function Enrolment(): JSX.Element {
  const [secret, setSecret] = useState<{ readonly secret: string; readonly uri: string } | undefined>();
  if (!secret) {
    return (
      <Form
        action={TEXTS.enrol}
        onSubmit={async ({ password = '' }) =>
          setSecret(await ok(core(BASE_PLACE).POST('/manage/v1/operator/totp', { body: { password } })))
        }
      >
        <UserName email={operator.value?.email ?? ''} />
        <Field label={TEXTS.password} {...PASSWORD_INPUT} />
      </Form>
    );
  }
  return (
    <Form
      action={TEXTS.verify}
      onSubmit={async ({ totp = '' }) => {
        await ok(core(BASE_PLACE).POST('/manage/v1/operator/totp/verify', { body: { totp } }));
        say(TEXTS.enrolled);
      }}
    >
      <p>{TEXTS.enrolHow}</p>
      <QrCode text={secret.uri} />
      <p id="secret">
        <Copyable text={secret.secret} label={TEXTS.secret} />
      </p>
      <p>
        <a href={secret.uri}>{TEXTS.openApp}</a>
      </p>
      <Field label={TEXTS.code} {...CODE_INPUT} />
    </Form>
  );
}

/** Takes the codes away; needs one. */
export function CodeRemoval(): JSX.Element {
  return (
    <Form
      action={TEXTS.removeCodes}
      isDangerous
      onSubmit={async ({ password = '', totp = '' }) => {
        await ok(core(BASE_PLACE).POST('/manage/v1/operator/totp/remove', { body: { password, totp } }));
        say(TEXTS.codesRemoved);
      }}
    >
      <UserName email={operator.value?.email ?? ''} />
      <Field label={TEXTS.password} {...PASSWORD_INPUT} />
      <Field label={TEXTS.code} {...CODE_INPUT} />
    </Form>
  );
}

/** Dark on light in both themes: cameras expect it. */
function QrCode({ text }: { readonly text: string }): JSX.Element {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={TEXTS.qrCode}>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  );
}
