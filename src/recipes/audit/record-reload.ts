import type { Reloaded } from '../../config/reload.ts';
import type { Store } from '../../store/store.ts';
import { type Recorder, writeEvent } from './record-event.ts';

/** Tells of a configuration that was taken over, and also of one that turned the trail off. */
export async function recordReload(store: Store, recorder: Recorder, reloaded: Reloaded): Promise<void> {
  if (reloaded.status !== 'OK') return;
  const { changed, needsRestart } = reloaded;
  if (!recorder.trail.isOn && !changed.includes('audit_trail')) return;
  const details = { options: changed.join(','), needRestart: needsRestart.join(',') };
  await store.transact((tx) => writeEvent(tx, recorder, 'configuration.reloaded', { details }));
}
