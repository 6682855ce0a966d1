import { commands, isPaletteOpen } from './palette.tsx';

/** How long `g` waits for its letter. */
const SECOND_KEY_MS = 1_500;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The links that name the rows of the table on the page. */
const rowLinks = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('main tbody tr td:first-child a')];

function moveRow(step: number): void {
  const links = rowLinks();
  const at = links.findIndex((link) => link === document.activeElement);
  links[at === -1 ? 0 : Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
}

const ALWAYS: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
  j: () => moveRow(1),
  k: () => moveRow(-1),
};

/** Takes keys that are not typed into something: single ones, and `g` with a letter. */
export function listenForKeys(): void {
  let first: { readonly key: string; readonly at: number } | undefined;
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      isPaletteOpen.value = true;
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const isSecond = first !== undefined && event.timeStamp - first.at < SECOND_KEY_MS;
    const keys = isSecond ? `${first?.key} ${event.key}` : event.key;
    first = event.key === 'g' && !isSecond ? { key: 'g', at: event.timeStamp } : undefined;
    const run = ALWAYS[keys] ?? commands().find((command) => command.keys === keys)?.run;
    if (!run) return;
    event.preventDefault();
    run();
  });
}
