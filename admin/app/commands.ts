/** What the palette offers. */
export interface Command {
  readonly title: string;
  /** As `g u`; shown, and taken where nothing is typed into. */
  readonly keys?: string;
  readonly run: () => void;
}

/** Beside the titles of the page and of its sections; those of rows are many, and stand beside what they are about. */
const BUTTONS = 'main .actions:not(td .actions) > :is(button:not(:disabled), a.button)';

/** What the page that is open offers besides what is always there: whatever its buttons do. */
export function pageCommands(): readonly Command[] {
  return [...document.querySelectorAll<HTMLElement>(BUTTONS)].map((button) => {
    const keys = button.getAttribute('aria-keyshortcuts');
    return { title: button.innerText.trim(), run: () => button.click(), ...(keys !== null && { keys }) };
  });
}
