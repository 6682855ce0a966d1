import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { answered, core } from '../../app/api.ts';
import { BASE_PLACE } from '../../app/place.ts';
import { TEXTS } from '../../texts.ts';
import { say } from '../../ui/toasts.tsx';
import { messageOf } from '../../ui/message.ts';

const T = TEXTS.tenants;

/** What the last reload from this page came to. */
const reloaded = signal<Awaited<ReturnType<typeof askForReload>> | undefined>(undefined);

const askForReload = () => answered(core(BASE_PLACE).POST('/manage/v1/config/reload'));

/** Has the process read its file, environment and flags anew. */
export async function reloadConfig(): Promise<void> {
  try {
    reloaded.value = await askForReload();
  } catch (error) {
    say(messageOf(error), { tone: 'bad' });
  }
}

/** What a reload changed, or why nothing was taken over. */
export function Reloaded(): JSX.Element | null {
  const answer = reloaded.value;
  if (!answer) return null;
  if (answer.status === 'INVALID_CONFIG_ERROR') {
    return (
      <div class="note error" role="alert">
        <div>
          <p>{T.reloadRefused}</p>
          <ul>
            {answer.faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </div>
      </div>
    );
  }
  const { changed, needsRestart } = answer;
  return (
    <div class={needsRestart.length > 0 ? 'note warning' : 'note good'} role="status">
      <div>
        <p>{changed.length > 0 ? T.reloadChanged(changed.join(', ')) : T.reloadSame}</p>
        {needsRestart.length > 0 && <p>{T.reloadNeedsRestart(needsRestart.join(', '))}</p>}
      </div>
    </div>
  );
}
