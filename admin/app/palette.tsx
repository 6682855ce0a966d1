import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { type Command, pageCommands } from './commands.ts';
import { openPages } from './pages.ts';
import { pickPlace } from './place-picker.tsx';
import { goTo } from './route.ts';
import { signOut } from './sign-out.ts';
import { nextTheme } from './theme.ts';

/** Of the list, nothing. */
const NONE = -1;

export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);

/** Everything that a key or the palette does now. */
export function commands(): readonly Command[] {
  return [
    ...pageCommands(),
    ...openPages().map(({ path, title, letter }) => ({ title: TEXTS.goTo(title), keys: `g ${letter}`, run: () => goTo(path) })),
    { title: TEXTS.choosePlace, keys: 't', run: () => pickPlace() },
    { title: TEXTS.myAccount, keys: 'g m', run: () => goTo('account') },
    { title: TEXTS.changeTheme, keys: 'd', run: nextTheme },
    { title: TEXTS.keyHelp, keys: '?', run: () => (isHelpOpen.value = true) },
    { title: TEXTS.signOut, run: () => void signOut() },
  ];
}

/** Finds users by what is typed, wherever one is. */
const searchFor = (text: string): Command => ({ title: TEXTS.searchUsersFor(text), run: () => goTo('users', undefined, { q: text }) });

/** Goes to where a name leads. */
const placeFor = (text: string): Command => ({ title: TEXTS.findTenant(text), run: () => pickPlace(text) });

function matching(text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands().filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  return text.trim() === '' ? found : [...found, searchFor(text.trim()), placeFor(text.trim())];
}

export const Palette = (): JSX.Element | null => (isPaletteOpen.value ? <OpenPalette /> : null);

/** Draws anew whenever the page offers something else, as when it has loaded again what was just changed. */
function useChangesOfPage(): void {
  const [, redraw] = useState({});
  useEffect(() => {
    const page = document.querySelector('main');
    if (!page) return;
    const observer = new MutationObserver(() => redraw({}));
    observer.observe(page, { subtree: true, childList: true, characterData: true, attributeFilter: ['disabled'] });
    return () => observer.disconnect();
  }, []);
}

/** Finds what to do by typing: arrows choose, Enter does it (the combobox pattern of WAI-ARIA). */
function OpenPalette(): JSX.Element {
  const [text, setText] = useState('');
  // By title, so that it stays the chosen one when the list changes above it.
  const [picked, setPicked] = useState<string>();
  useChangesOfPage();
  const found = matching(text);
  // Who has typed nothing has asked for nothing: Enter alone does not do what happens to come first.
  const first = text.trim() === '' ? NONE : 0;
  const at = picked === undefined ? first : found.findIndex(({ title }) => title === picked);
  const close = (): void => {
    isPaletteOpen.value = false;
  };
  const run = (command: Command | undefined): void => {
    if (!command) return;
    close();
    command.run();
  };
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
  const onKey = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (event.key === 'Enter') run(found[at]);
    else if (step !== undefined) setPicked(found[(Math.max(at, step < 0 ? 0 : NONE) + step + found.length) % found.length]?.title);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={TEXTS.palette} onClose={close}>
      <input
        class="palette-input"
        role="combobox"
        aria-label={TEXTS.palette}
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={at === NONE ? undefined : `palette-${at}`}
        autoComplete="off"
        placeholder={TEXTS.paletteHint}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setPicked(undefined);
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-list" class="palette-list" role="listbox" aria-label={TEXTS.palette}>
        {found.map((command, n) => (
          <li key={command.title} id={`palette-${n}`} role="option" aria-selected={n === at} onClick={() => run(command)}>
            <span>{command.title}</span>
            {command.keys && <kbd>{command.keys}</kbd>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Every key that does something. */
export function KeyHelp(): JSX.Element | null {
  if (!isHelpOpen.value) return null;
  const close = (): void => {
    isHelpOpen.value = false;
  };
  const always: readonly (readonly [string, string])[] = [
    ['Ctrl K', TEXTS.palette],
    ['/', TEXTS.focusSearch],
    ['j  k', TEXTS.nextAndBefore],
  ];
  const own = commands().flatMap(({ keys, title }) => (keys === undefined ? [] : [[keys, title] as const]));
  return (
    <Dialog title={TEXTS.keyHelp} onClose={close}>
      <dl class="keys">
        {[...always, ...own].map(([keys, title]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
