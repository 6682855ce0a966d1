import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import type { components } from '../../generated/api.ts';
import { TEXTS } from '../../texts.ts';
import { Area, Form } from '../../ui/form.tsx';
import { Section } from '../../ui/states.tsx';
import { toBase64 } from './base64.ts';
import { Explanation } from './explanation.tsx';
import { acsUrlNamed } from './service.tsx';

type Explained = components['schemas']['ManagementSamlExplanation'];

const T = TEXTS.saml;

/** What people copy: the XML itself, base64, or that as it stands in a form. */
function posted(text: string): string {
  if (text.startsWith('<')) return toBase64(text);
  const value = text.replace(/^SAMLResponse=/, '').split('&')[0] ?? '';
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Explains a response that was captured elsewhere; nothing comes of it. */
export function TryResponse({ clientId }: { readonly clientId: string }): JSX.Element {
  const [explanation, setExplanation] = useState<Explained | undefined>(undefined);
  return (
    <Section title={T.tryResponse}>
      <p class="hint">{T.tryHint}</p>
      <Form
        action={T.explain}
        onSubmit={async (values) => {
          const acsURL = acsUrlNamed();
          const body = { clientId, samlResponse: posted(values['response']?.trim() ?? ''), ...(acsURL !== '' && { acsURL }) };
          setExplanation((await ok(core().POST('/manage/v1/saml/test/response', { body }))).explanation);
        }}
      >
        <Area label={T.samlResponse} name="response" rows={4} required />
      </Form>
      {explanation && (
        <div class="list" aria-live="polite">
          <Explanation of={explanation} />
        </div>
      )}
    </Section>
  );
}
