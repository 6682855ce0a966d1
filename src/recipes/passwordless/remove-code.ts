import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { removeCode as removeCodeOf, removeDevice } from './devices.ts';

type Command = Commands['passwordless/remove-code'];

/** What must be named depends on the version (contract 03 section 5.7). */
export function checkRemoveCode({ codeId, preAuthSessionId }: Command, { traits }: Context): void {
  if (!traits.passwordlessDevices && codeId === undefined) throw new Refusal('field-invalid', { field: 'codeId' });
  if (codeId === undefined && preAuthSessionId === undefined) {
    throw new Refusal('bad-input', { text: "Please provide either 'codeId' or 'preAuthSessionId'" });
  }
  if (codeId !== undefined && preAuthSessionId !== undefined) {
    throw new Refusal('bad-input', { text: "Please provide only one of 'codeId' or 'preAuthSessionId'" });
  }
}

/** `POST /recipe/signinup/code/remove` (contract 03 section 5.7): a code, or a device with its codes, if known. */
export async function removeCode({ store, tenant }: Context, { codeId, preAuthSessionId }: Command): Promise<void> {
  await store.transact<unknown>((tx) =>
    codeId === undefined ? removeDevice(tx, tenant, preAuthSessionId ?? '') : removeCodeOf(tx, tenant, codeId),
  );
}
