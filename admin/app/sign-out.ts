import { attempt } from '../ui/toasts.tsx';
import { TEXTS } from '../texts.ts';
import { answered, core } from './api.ts';
import { BASE_PLACE } from './place.ts';
import { signedOut } from './session.ts';

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  const isOver = await attempt(() => answered(core(BASE_PLACE).POST('/manage/v1/operator/sign-out')), TEXTS.signedOut);
  if (isOver) signedOut();
}
