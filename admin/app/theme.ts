import { effect, signal } from '@preact/signals';

/** Light, dark, or as the system has it. */
export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'watchword-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };

const isTheme = (text: string | null): text is Theme => text !== null && Object.hasOwn(NEXT, text);

/** What this browser remembers; nothing where it keeps nothing. */
function remembered(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return isTheme(text) ? text : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = signal<Theme>(remembered());

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

export function nextTheme(): void {
  theme.value = NEXT[theme.value];
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // A browser that keeps nothing shows the theme until the page is closed.
  }
}
