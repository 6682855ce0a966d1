import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { place } from '../../app/place.ts';
import { route, setQuery } from '../../app/route.ts';
import { TEXTS } from '../../texts.ts';
import { Form } from '../../ui/form.tsx';
import { Badge, ErrorNote, Section, type Tone } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAnswer, useLive } from '../../ui/use-answer.ts';
import { Explanation } from './explanation.tsx';
import { acsUrlNamed } from './service.tsx';

const T = TEXTS.saml;
const ASK_EVERY_MS = 2_000;
const TONES: Readonly<Record<string, Tone>> = { accepted: 'good', refused: 'bad', expired: 'warning' };

/** A login that lets nobody in, and what came of it. The address of the page names the test, so that its end leads here. */
export function TestLogin({ clientId }: { readonly clientId: string }): JSX.Element {
  const [url, setUrl] = useState('');
  const testId = route.value.query.get('test') ?? '';
  const start = async (): Promise<void> => {
    const acsURL = acsUrlNamed();
    const started = await ok(core().POST('/manage/v1/saml/test', { body: { clientId, ...(acsURL !== '' && { acsURL }) } }));
    setUrl(started.url);
    setQuery({ test: started.testId });
  };
  return (
    <Section title={T.test}>
      <p class="hint">{T.testHint}</p>
      <Form action={testId === '' ? T.startTest : T.startAnother} onSubmit={start} />
      {testId !== '' && <Result key={testId} testId={testId} url={url} />}
    </Section>
  );
}

/** @param url to be opened; empty where the test was begun elsewhere */
function Result({ testId, url }: { readonly testId: string; readonly url: string }): JSX.Element {
  const { data, error, reload } = useAnswer(
    (signal) => ok(core().GET('/manage/v1/saml/test', { params: { query: { testId } }, signal })),
    [place.value, testId],
  );
  const test = data?.test;
  return (
    <div class="list" aria-live="polite">
      {error !== undefined && <ErrorNote text={error} />}
      {test && (
        <p>
          <Badge tone={TONES[test.state] ?? 'plain'}>{T.states[test.state]}</Badge> {T.begun} <Time ms={test.startedAt} />
        </p>
      )}
      {test?.state === 'waiting' && <Waiting url={url} reload={reload} />}
      {test?.state === 'expired' && <p>{T.expiredHint}</p>}
      {test?.explanation && <Explanation of={test.explanation} />}
    </div>
  );
}

function Waiting({ url, reload }: { readonly url: string; readonly reload: () => void }): JSX.Element {
  useLive(reload, ASK_EVERY_MS);
  return (
    <>
      <p>{url === '' ? T.waitsElsewhere : T.waits}</p>
      {url !== '' && (
        <a class="button" href={url} target="_blank" rel="noopener noreferrer">
          {T.openTest}
        </a>
      )}
    </>
  );
}
