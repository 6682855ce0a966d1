import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { Confirmation } from '../ui/confirm.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { messageOf } from '../ui/message.ts';
import { ErrorNote } from '../ui/states.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { answered, core } from './api.ts';
import { isReachable } from '../ui/connection.ts';
import { Enrolment } from './one-time-codes.tsx';
import { isPaletteOpen, KeyHelp, Palette } from './palette.tsx';
import { openPages, PAGES } from './pages.ts';
import { BASE_PLACE, place } from './place.ts';
import { nameOf, pickPlace, PlacePicker } from './place-picker.tsx';
import { linkTo, route } from './route.ts';
import { noteAnswer, signedOut, state } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { signOut } from './sign-out.ts';
import { nextTheme, theme } from './theme.ts';

const ASK_AGAIN_MS = 2_000;

/** Asks who is signed in. */
export async function askWho(): Promise<void> {
  const answer = await answered(core(BASE_PLACE).GET('/manage/v1/operator'));
  if (answer.status === 'SIGNED_OUT_ERROR') signedOut();
  else if (answer.status === 'INSECURE_CONNECTION_ERROR') state.value = { is: 'insecure', message: answer.message };
  else noteAnswer(answer);
}

/** The whole page: a form where nobody is signed in, else menu, head and the page that the address names. */
export function Shell(): JSX.Element {
  const now = state.value;
  if (now.is === 'asking') return <Unreachable />;
  if (now.is === 'insecure')
    return (
      <Door>
        <ErrorNote text={now.message} />
      </Door>
    );
  if (now.is === 'signed-out')
    return (
      <Door>
        <SignIn />
      </Door>
    );
  if (now.is === 'signed-in' && now.who.mustEnrolTotp) {
    return (
      <Door>
        <p>{TEXTS.enrolMust}</p>
        <Enrolment />
        <button type="button" class="quiet" onClick={() => void signOut()}>
          {TEXTS.signOut}
        </button>
      </Door>
    );
  }
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {TEXTS.skip}
      </a>
      <Head />
      <Menu />
      <main id="main" tabIndex={-1}>
        <Unreachable />
        <CurrentPage />
      </main>
      <Toasts />
      <Palette />
      <KeyHelp />
      <PlacePicker />
      <Confirmation />
      {now.is === 'ended' && (
        <Dialog title={TEXTS.sessionOver}>
          <p>{TEXTS.sessionOverHow}</p>
          <SignIn email={now.email} />
        </Dialog>
      )}
    </>
  );
}

/** The address after `#` names the page, so the link must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

/** Where nobody is signed in. */
function Door({ children }: { readonly children: JSX.Element | readonly JSX.Element[] }): JSX.Element {
  return (
    <main class="door">
      <h1>Watchword</h1>
      {children}
      <Toasts />
    </main>
  );
}

/** Says that the core does not answer, and asks until it does. */
function Unreachable(): JSX.Element | null {
  useEffect(() => {
    if (isReachable.value) return;
    const timer = setInterval(() => void askWho().catch(() => {}), ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isReachable.value]);
  return isReachable.value ? null : <ErrorNote text={TEXTS.unreachable} />;
}

function Head(): JSX.Element {
  return (
    <header class="head">
      <a class="brand" href={linkTo('')}>
        Watchword
      </a>
      <button type="button" class="place" onClick={() => pickPlace()}>
        <span class="unseen">{TEXTS.choosePlace}: </span>
        {nameOf(place.value)}
      </button>
      <button type="button" class="quiet find" onClick={() => (isPaletteOpen.value = true)}>
        {TEXTS.palette} <kbd>Ctrl K</kbd>
      </button>
      <button type="button" class="quiet" onClick={nextTheme}>
        <span class="unseen">{TEXTS.changeTheme}: </span>
        {TEXTS.themes[theme.value]}
      </button>
      <a href={linkTo('account')}>{TEXTS.myAccount}</a>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        {TEXTS.signOut}
      </button>
    </header>
  );
}

/** On narrow screens it stands behind a button, and closes when a page is chosen. */
function Menu(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const page = route.value.page || openPages()[0]?.path;
  useEffect(() => setOpen(false), [page]);
  return (
    <nav class={isOpen ? 'menu open' : 'menu'} aria-label={TEXTS.menu}>
      <button type="button" class="menu-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {TEXTS.menu}
      </button>
      <ul>
        {openPages().map(({ path, title }) => (
          <li key={path}>
            <a href={linkTo(path)} aria-current={path === page ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type PageComponent = ComponentType<{ readonly item: string }> | ComponentType;

/** Shows the page that the address names; the old one stays until the new one is here. */
function CurrentPage(): JSX.Element | null {
  const [shown, setShown] = useState<{ readonly path: string; readonly item: string | undefined; readonly Page: PageComponent }>();
  const [error, setError] = useState<string | undefined>();
  const { page, item } = route.value;
  const path = page || openPages()[0]?.path || '';
  useEffect(() => {
    let isWanted = true;
    pageNamed(path, item !== undefined).then(
      (Page) => isWanted && (setError(undefined), setShown({ path, item, Page })),
      (fault: unknown) => isWanted && setError(messageOf(fault)),
    );
    return () => {
      isWanted = false;
    };
  }, [path, item]);
  useEffect(() => {
    const title = document.querySelector<HTMLElement>('main h1');
    if (!title) return;
    document.title = `${title.textContent} · Watchword`;
    // Whoever has begun to type is left alone.
    if (!/^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')) title.focus({ preventScroll: true });
  }, [shown]);
  if (error !== undefined) return <ErrorNote text={error} />;
  if (!shown) return null;
  // Another item or place is another page.
  return <shown.Page key={JSON.stringify([shown.path, shown.item, place.value])} item={shown.item ?? ''} />;
}

async function pageNamed(path: string, isItem: boolean): Promise<PageComponent> {
  if (path === 'account') return (await import('./account.tsx')).default;
  const entry = PAGES.find((one) => one.path === path);
  if (!entry || (isItem && !entry.loadItem)) throw new Error(TEXTS.noPage);
  if (!openPages().includes(entry)) throw new Error(TEXTS.notForYou(entry.scope));
  return isItem && entry.loadItem ? (await entry.loadItem()).default : (await entry.load()).default;
}
