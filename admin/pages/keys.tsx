import type { JSX } from 'preact';
import { place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { PageFrame } from '../ui/states.tsx';
import { ApiKeys } from './keys/api-keys.tsx';
import { SigningKeys } from './keys/signing-keys.tsx';

const T = TEXTS.keys;

/** By what an app signs, and by what back ends open it. */
export default function Keys(): JSX.Element {
  return (
    <PageFrame title={T.title} lead={T.lead(nameOf(place.value))}>
      <SigningKeys />
      {can('keys') ? <ApiKeys /> : <p class="note">{T.apiKeysNotForYou}</p>}
    </PageFrame>
  );
}
