import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answered, core, ok } from '../../app/api.ts';
import { goTo } from '../../app/route.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Field } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ErrorNote, Facts, Section } from '../../ui/states.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import type { UserPart } from './user-answer.ts';

const T = TEXTS.user;

/** The id that the application has for the user. */
export function Mapping({ shown, reload }: UserPart): JSX.Element {
  const userId = shown.user.id;
  const [isAdding, setAdding] = useState(false);
  const {
    data,
    error,
    reload: again,
  } = useAnswer(
    (signal) => answered(core().GET('/recipe/userid/map', { params: { query: { userId, userIdType: 'ANY' } }, signal })),
    [userId, shown],
  );
  const remove = async (internalId: string): Promise<void> => {
    if (!(await confirmed({ title: T.removeMapping, text: T.removeMappingText, action: T.removeMapping }))) return;
    const call = () => ok(core().POST('/recipe/userid/map/remove', { body: { userId, userIdType: 'ANY' } }));
    if (!(await attempt(call, T.mappingRemoved))) return;
    // The address may name the id that is gone.
    goTo('users', internalId);
    reload();
  };
  const isMapped = data?.status === 'OK';
  const actions = isMapped ? (
    <Button kind="danger" onPress={() => remove(data.superTokensUserId)}>
      {T.removeMapping}
    </Button>
  ) : (
    <Button onPress={() => setAdding(true)}>{T.addMapping}</Button>
  );
  return (
    <Section title={T.mapping} actions={can('users') && data && actions}>
      {error !== undefined && <ErrorNote text={error} retry={again} />}
      {data?.status === 'UNKNOWN_MAPPING_ERROR' && <p>{T.noMapping}</p>}
      {isMapped && (
        <Facts
          of={[
            [T.externalId, <Copyable key="external" text={data.externalUserId} label={T.externalId} />],
            [T.internalId, <Copyable key="internal" text={data.superTokensUserId} label={T.internalId} />],
            [T.mappingInfo, data.externalUserIdInfo],
          ]}
        />
      )}
      {isAdding && (
        <FormDialog
          title={T.addMapping}
          action={T.addMapping}
          done={T.mappingAdded}
          onClose={(isDone) => {
            setAdding(false);
            if (isDone) reload();
          }}
          onSubmit={({ externalUserId = '', info = '' }) =>
            ok(
              core().POST('/recipe/userid/map', {
                body: { superTokensUserId: userId, externalUserId, ...(info !== '' && { externalUserIdInfo: info }) },
              }),
            )
          }
        >
          <Field label={T.externalId} name="externalUserId" required autoComplete="off" hint={T.externalIdHint} />
          <Field label={T.mappingInfo} name="info" autoComplete="off" />
        </FormDialog>
      )}
    </Section>
  );
}
