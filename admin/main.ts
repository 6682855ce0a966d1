import { ask, type Outcome, Refused, type SignedIn } from './core.ts';
import { TEXTS } from './texts.ts';

type Child = Node | string;

const page = document.querySelector('#page') ?? document.body;

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

function show(...children: readonly Child[]): void {
  page.replaceChildren(element('h1', {}, 'Watchword'), ...children);
  page.querySelector<HTMLElement>('input')?.focus();
}

const field = (label: string, name: string, attributes: Readonly<Record<string, string>>): HTMLElement =>
  element('label', {}, label, element('input', { name, required: '', ...attributes }));

const CODE = { inputmode: 'numeric', autocomplete: 'one-time-code', pattern: '[0-9]{6}', maxlength: '6' };

const isSignedIn = (answer: Outcome | SignedIn): answer is SignedIn => 'csrfToken' in answer;

/** A form that sends its fields to the core. @param proceed answers what went wrong, in words, if anything did */
function form(
  button: string,
  fields: readonly Child[],
  proceed: (values: Readonly<Record<string, string>>) => Promise<string | undefined>,
): HTMLElement {
  const alert = element('p', { role: 'alert' });
  const made = element('form', {}, ...fields, alert, element('button', {}, button));
  const send = async (): Promise<void> => {
    const values = Object.fromEntries([...new FormData(made)].map(([name, value]) => [name, String(value)]));
    alert.textContent = '';
    try {
      alert.textContent = (await proceed(values)) ?? '';
    } catch (error) {
      alert.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  return made;
}

const wordsFor = ({ status, message }: Outcome): string => message ?? TEXTS.statuses[status] ?? status;

function showSignIn(): void {
  const fields = [
    field(TEXTS.email, 'email', { type: 'email', autocomplete: 'username' }),
    field(TEXTS.password, 'password', { type: 'password', autocomplete: 'current-password' }),
  ];
  show(form(TEXTS.signIn, fields, async (values) => signIn(values)));
}

async function signIn(values: Readonly<Record<string, string>>): Promise<string | undefined> {
  const answer = await ask<Outcome | SignedIn>('POST', 'operator/sign-in', values);
  if (answer.status === 'TOTP_REQUIRED_ERROR') showCode(values);
  else if (!isSignedIn(answer)) return wordsFor(answer);
  else if ((await ask<Outcome>('GET', 'operator')).status === 'OK') showWhoIsSignedIn(answer, values['password']);
  else return TEXTS.noCookie;
  return undefined;
}

function showCode(credentials: Readonly<Record<string, string>>): void {
  const fields = [field(`${TEXTS.code} (${TEXTS.codeHint})`, 'totp', CODE)];
  show(form(TEXTS.signIn, fields, async (values) => signIn({ ...credentials, ...values })));
}

/** @param password as it was just typed, if it was: the core asks for it before it shows a secret */
function showWhoIsSignedIn(signedIn: SignedIn, password?: string): void {
  const { operator, session, mustEnrolTotp } = signedIn;
  const facts = [
    [TEXTS.signedInAs, operator.email],
    [TEXTS.role, operator.role],
    [TEXTS.scopes, operator.scopes.join(', ')],
    [TEXTS.codes, operator.hasTotp ? TEXTS.on : TEXTS.off],
    [TEXTS.ends, new Date(session.expiresAt).toLocaleString()],
  ] as const;
  const list = element('dl', {}, ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
  const enrolment = operator.hasTotp ? [] : [form(TEXTS.enrol, password === undefined ? [passwordField()] : [], beginEnrolment(password))];
  const signOut = form(TEXTS.signOut, [], async () => {
    await ask('POST', 'operator/sign-out');
    showSignIn();
    return undefined;
  });
  show(list, ...(mustEnrolTotp ? [element('p', {}, TEXTS.enrolMust)] : []), ...enrolment, signOut);
}

const passwordField = (): HTMLElement => field(TEXTS.password, 'password', { type: 'password', autocomplete: 'current-password' });

function beginEnrolment(known: string | undefined) {
  return async (values: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const password = known ?? values['password'];
    const answer = await ask<Outcome & { readonly secret?: string; readonly uri?: string }>('POST', 'operator/totp', { password });
    if (answer.secret === undefined || answer.uri === undefined) return wordsFor(answer);
    showEnrolment(answer.secret, answer.uri);
    return undefined;
  };
}

function showEnrolment(secret: string, uri: string): void {
  const verify = form(TEXTS.verify, [field(TEXTS.code, 'totp', CODE)], async (values) => {
    const answer = await ask<Outcome | SignedIn>('POST', 'operator/totp/verify', values);
    if (!isSignedIn(answer)) return wordsFor(answer);
    showWhoIsSignedIn(answer);
    return undefined;
  });
  const link = element('a', { href: uri }, TEXTS.openApp);
  show(element('p', {}, TEXTS.enrolHow), element('p', {}, element('code', { id: 'secret' }, secret)), element('p', {}, link), verify);
}

async function start(): Promise<void> {
  try {
    const answer = await ask<Outcome | SignedIn>('GET', 'operator');
    if (isSignedIn(answer)) showWhoIsSignedIn(answer);
    else if (answer.status === 'SIGNED_OUT_ERROR') showSignIn();
    else show(element('p', { role: 'alert' }, wordsFor(answer)));
  } catch (error) {
    show(element('p', { role: 'alert' }, error instanceof Refused ? error.message : String(error)));
  }
}

void start();
