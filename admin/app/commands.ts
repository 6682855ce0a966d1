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

/** Offers commands while the page is open. @param dependsOn what they are made of */
export function useCommands(commands: readonly Command[], dependsOn: readonly unknown[]): void {
  useEffect(() => {
    pageCommands.value = commands;
    return () => {
      pageCommands.value = [];
    };
  }, dependsOn);
}
