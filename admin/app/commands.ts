import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What the palette offers. */
export interface Command {
  readonly title: string;
  /** As `g u`; shown, and taken where nothing is typed into. */
  readonly keys?: string;
  readonly run: () => void;
}

/** What the page that is open offers besides what is always there. */
export const pageCommands = signal<readonly Command[]>([]);

/** Offers commands while the page, or the part of it that calls this, is shown. @param dependsOn what they are made of */
export function useCommands(commands: readonly Command[], dependsOn: readonly unknown[]): void {
  useEffect(() => {
    pageCommands.value = [...pageCommands.value, ...commands];
    return () => {
      pageCommands.value = pageCommands.value.filter((one) => !commands.includes(one));
    };
  }, dependsOn);
}
