import type { JSX } from 'preact';
import { isSafeNumber, parse, stringify } from 'lossless-json';
import { useState } from 'preact/hooks';
import { answered, core } from '../../app/api.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Area } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ErrorNote, Section } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { mustBeThere, type UserPart } from './user-answer.ts';

const T = TEXTS.user;

type Json = Record<string, never>;

/** Numbers stay as they are written, however long. */
const exact = {
  parseNumber: (text: string) => (isSafeNumber(text) && String(Number(text)) === text ? Number(text) : new ExactNumber(text)),
};

/** A number that a JavaScript number would change; written as it was read. */
class ExactNumber {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

const NUMBERS = [{ test: (value: unknown) => value instanceof ExactNumber, stringify: String }];
const textOf = (value: unknown): string => stringify(value, undefined, 2, NUMBERS) ?? '';
const jsonOf = (text: string): unknown => parse(text, undefined, exact);
const send = (body: unknown): string => stringify(body, undefined, undefined, NUMBERS) ?? '';

/** Metadata as text, as it is kept. @throws Refused */
async function read(userId: string, signal: AbortSignal): Promise<string> {
  const text = await answered(
    core()
      .GET('/recipe/user/metadata', { params: { query: { userId } }, signal, parseAs: 'text' })
      .then(({ data }) => ({ data: { text: String(data) } })),
  );
  return textOf((jsonOf(text.text) as { readonly metadata: unknown }).metadata);
}

/** Shows and changes metadata; who changes what somebody else changed meanwhile is told. */
export function Metadata({ shown, reload }: UserPart): JSX.Element {
  const userId = shown.user.id;
  const { data, error, reload: readAgain } = useAnswer((signal) => read(userId, signal), [userId, shown]);
  const [isEditing, setEditing] = useState(false);
  return (
    <Section
      title={T.metadata}
      actions={can('users') && data !== undefined && <Button onPress={() => setEditing(true)}>{T.editMetadata}</Button>}
    >
      {error !== undefined && <ErrorNote text={error} retry={readAgain} />}
      {data === '{}' && <p>{T.noMetadata}</p>}
      {/* What scrolls must be reachable by the keyboard. */}
      {data !== undefined && data !== '{}' && (
        <pre tabIndex={0} role="group" aria-label={T.metadata}>
          {data}
        </pre>
      )}
      {isEditing && data !== undefined && (
        <Editor
          userId={userId}
          before={data}
          onClose={(isDone) => {
            setEditing(false);
            if (isDone) reload();
          }}
        />
      )}
    </Section>
  );
}

interface EditorProps {
  readonly userId: string;
  readonly before: string;
  readonly onClose: (isDone: boolean) => void;
}

function Editor({ userId, before, onClose }: EditorProps): JSX.Element {
  const [expected, setExpected] = useState(before);
  const [isOvertaken, setOvertaken] = useState(false);
  const save = async (text: string): Promise<void> => {
    const body = { userId, metadata: objectIn(text), expected: objectIn(expected) };
    await mustBeThere(userId);
    const call = core().POST('/manage/v1/user/metadata', { body, bodySerializer: send, parseAs: 'text' });
    const { text: answer } = await answered(call.then(({ data }) => ({ data: { text: String(data) } })));
    const { status, metadata } = jsonOf(answer) as { readonly status: string; readonly metadata: unknown };
    if (status === 'OK') return;
    setExpected(textOf(metadata));
    setOvertaken(true);
    throw new Error(T.changedMeanwhile);
  };
  return (
    <FormDialog
      title={T.editMetadata}
      action={isOvertaken ? T.overwrite : TEXTS.save}
      onClose={onClose}
      onSubmit={({ text = '' }) => save(text).then(() => say(T.metadataSaved))}
    >
      {isOvertaken && (
        <>
          <p>{T.theirs}</p>
          <pre tabIndex={0} role="group" aria-label={T.theirs}>
            {expected}
          </pre>
        </>
      )}
      <Area label={isOvertaken ? T.mine : T.metadata} name="text" rows={14} defaultValue={before} hint={T.metadataHint} />
    </FormDialog>
  );
}

/** @throws Error in words where a text is no JSON object */
function objectIn(text: string): Json {
  const value = jsonOf(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(T.noObject);
  return value as Json;
}
