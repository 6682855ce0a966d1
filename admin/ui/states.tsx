import type { ComponentChildren, JSX } from 'preact';
import { TEXTS } from '../texts.ts';

/** What went wrong. @param retry asks again */
export function ErrorNote({ text, retry }: { readonly text: string; readonly retry?: () => void }): JSX.Element {
  return (
    <div class="note error" role="alert">
      <span>{text}</span>
      {retry && (
        <button type="button" onClick={retry}>
          {TEXTS.tryAgain}
        </button>
      )}
    </div>
  );
}

/** The tone says how bad it is; the words must say it too. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad';

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Pairs of names and values. Those whose value is undefined are left out. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface SectionProps {
  readonly title: string;
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page under a heading of its own. */
export function Section({ title, actions, children }: SectionProps): JSX.Element {
  return (
    <section class="section" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface PageProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every page: the title takes the focus when one comes here, so that it is read out. */
export function PageFrame({ title, lead, actions, children }: PageProps): JSX.Element {
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
