import type { JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { Choice } from '../ui/form.tsx';
import { ErrorNote, PageFrame } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { Jobs, Lanes, ProcessFacts, StoreFacts } from './overview/facts.tsx';
import { LoadNow } from './overview/load.tsx';
import { newest, type Overview } from './overview/nodes.ts';
import { Statistics } from './overview/statistics.tsx';
import { type Live, useNodes } from './overview/use-nodes.ts';

const T = TEXTS.overview;

type Warning = Overview['warnings'][number];

const NOTES: Readonly<Record<Warning['severity'], string>> = { problem: 'note error', warning: 'note warning', note: 'note' };

/** How the core is now, and what happened in the app by day. */
export default function OverviewPage(): JSX.Element {
  const live = useNodes();
  const node = live.nodes.heard.get(live.nodes.shown);
  const last = node && newest(node);
  return (
    <PageFrame title={T.title} lead={last && <Lead live={live} of={last} />} actions={<NodeChoice live={live} />}>
      {live.error !== undefined && <ErrorNote text={live.error} />}
      {live.nodes.restartedAt !== undefined && (
        <p class="note warning" role="status">
          <span>
            {T.restarted} <Time ms={live.nodes.restartedAt} />
          </span>
        </p>
      )}
      {last && <Warnings of={last.warnings} />}
      {last && <Statistics now={last.at} />}
      {node && <LoadNow node={node} />}
      {last && (
        <>
          <Lanes of={last} />
          <Jobs of={last} />
          <div class="columns">
            <StoreFacts of={last} />
            <ProcessFacts of={last} />
          </div>
        </>
      )}
    </PageFrame>
  );
}

/** Numbers that are not from now say so. */
function Lead({ live, of: { at, process } }: { readonly live: Live; readonly of: Overview }): JSX.Element {
  const name = T.nodeName(process.host, process.pid);
  return live.error === undefined ? (
    <>{T.lead(name)}</>
  ) : (
    <>
      {T.stale(name)} <Time ms={at} />
    </>
  );
}

/** Behind a load balancer answers come from several nodes, of which one is shown. */
function NodeChoice({ live: { nodes, show } }: { readonly live: Live }): JSX.Element | null {
  if (nodes.heard.size < 2) return null;
  const options = [...nodes.heard].map(([id, node]) => [id, T.nodeName(newest(node).process.host, newest(node).process.pid)] as const);
  return <Choice label={T.node} name="node" value={nodes.shown} options={options} onChange={show} />;
}

/** The worst first, as the core orders them. */
function Warnings({ of }: { readonly of: readonly Warning[] }): JSX.Element {
  if (of.length === 0) return <p class="note good">{T.allWell}</p>;
  return (
    <ul class="warnings" aria-label={T.warnings}>
      {of.map(({ code, severity, text, remedy }) => (
        <li key={`${code} ${text}`} class={NOTES[severity]}>
          <span>
            <strong>{T.severities[severity]}:</strong> {text}. <span>{T.toDo(remedy)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
