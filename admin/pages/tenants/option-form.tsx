import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { PUBLIC } from '../../app/place.ts';
import { TEXTS } from '../../texts.ts';
import { Area, Choice, Field, type Values } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Option } from './levels.ts';
import { expectUnchanged, type Known, putTenant } from './tenant.ts';

const T = TEXTS.tenants;

/** What an option is told as in the configuration of a tenant. */
type Sent = string | number | boolean | null;

/** Changes one option of the tenant, where it still is as it was shown. @throws Error, Refused */
async function change(known: Known, { name, value, isSet, source }: Option, to: Sent): Promise<void> {
  const { tenant } = known;
  await expectUnchanged(known, (now) => now.tenant.configuredOptions.includes(name));
  const { options } = await ok(core(tenant).GET('/manage/v1/config'));
  const now = options.find((one) => one.name === name);
  if (JSON.stringify([now?.value, now?.isSet, now?.source]) !== JSON.stringify([value, isSet, source])) throw new Error(T.changedMeanwhile);
  await putTenant(tenant, { coreConfig: { [name]: to } });
}

/** Takes an option out of the tenant, so that the level around counts. Only for one that it sets: else the core stores "no value". */
export const unset = (known: Known, option: Option): Promise<void> => change(known, option, null);

interface SetOptionProps {
  readonly known: Known;
  readonly option: Option;
  readonly onClose: () => void;
}

/** Sets an option for the tenant alone, or for all of an app or domain at its public tenant. */
export function SetOption({ known, option, onClose }: SetOptionProps): JSX.Element {
  const { name, value, doc } = option;
  const submit = ({ value: text = '' }: Values): Promise<void> =>
    change(known, option, typeof value === 'boolean' ? text === 'true' : text);
  return (
    <FormDialog title={T.setOption(name)} action={T.set} done={T.saved} onSubmit={submit} onClose={onClose}>
      <p>{doc}</p>
      <ValueField option={option} />
      {known.tenant.tenantId === PUBLIC && <p class="hint">{T.setForAll}</p>}
    </FormDialog>
  );
}

/** The core takes numbers as text too, and says what a value must be. */
function ValueField({ option: { value, isSet } }: { readonly option: Option }): JSX.Element {
  if (typeof value === 'boolean') {
    const options = [
      ['true', 'true'],
      ['false', 'false'],
    ] as const;
    return <Choice label={T.value} name="value" value={String(value)} options={options} />;
  }
  if (isSet !== undefined) return <Area label={T.value} name="value" rows={2} hint={T.secretHint} />;
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
  return <Field label={T.value} name="value" defaultValue={text} autoComplete="off" />;
}
