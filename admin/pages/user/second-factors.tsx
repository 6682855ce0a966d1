import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { Badge, Section } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { attempt } from '../../ui/toasts.tsx';
import type { UserAnswer, UserPart } from './user-answer.ts';

const T = TEXTS.user;

type Device = UserAnswer['totpDevices'][number];
type Passkey = UserAnswer['passkeys'][number];

/** The apps that make one-time codes for the user. */
export function TotpDevices({ shown, reload }: UserPart): JSX.Element {
  const { user, totpDevices } = shown;
  const remove = async (deviceName: string): Promise<void> => {
    if (!(await confirmed({ title: T.removeDevice, text: T.removeDeviceText, action: T.removeDevice }))) return;
    const call = () => ok(core().POST('/recipe/totp/device/remove', { body: { userId: user.id, deviceName } }));
    await attempt(call, T.removed(deviceName)).then(reload);
  };
  const columns = [
    { head: T.device, cell: ({ name }: Device) => name },
    {
      head: T.verified,
      cell: ({ verified }: Device) => <Badge tone={verified ? 'good' : 'plain'}>{verified ? T.isVerified : T.isUnverified}</Badge>,
    },
    ...(can('users')
      ? [
          {
            head: TEXTS.actions,
            cell: ({ name }: Device) => (
              <Button kind="danger" of={name} onPress={() => remove(name)}>
                {T.removeDevice}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section title={T.totp}>
      {totpDevices.length === 0 ? (
        <p>{T.noTotp}</p>
      ) : (
        <Table caption={T.totp} columns={columns} rows={totpDevices} keyOf={({ name }) => name} />
      )}
    </Section>
  );
}

/** The passkeys of the user. */
export function Passkeys({ shown, reload }: UserPart): JSX.Element {
  const { passkeys } = shown;
  const remove = async ({ recipeUserId, id }: Passkey): Promise<void> => {
    if (!(await confirmed({ title: T.removePasskey, text: T.removePasskeyText, action: T.removePasskey }))) return;
    const query = { recipeUserId, webauthnCredentialId: id };
    await attempt(() => ok(core().DELETE('/recipe/webauthn/user/credential/remove', { params: { query } })), T.passkeyRemoved).then(reload);
  };
  const columns = [
    { head: T.passkey, cell: ({ id }: Passkey) => <code>{id}</code> },
    { head: T.relyingParty, cell: ({ relyingPartyId }: Passkey) => relyingPartyId },
    { head: T.created, cell: ({ createdAt }: Passkey) => <Time ms={createdAt} /> },
    { head: T.lastUsed, cell: ({ lastUsedAt }: Passkey) => <Time ms={lastUsedAt} /> },
    { head: T.synced, cell: ({ isBackedUp }: Passkey) => (isBackedUp ? T.yes : T.no) },
    ...(can('users')
      ? [
          {
            head: TEXTS.actions,
            cell: (passkey: Passkey) => (
              <Button kind="danger" of={passkey.id} onPress={() => remove(passkey)}>
                {T.removePasskey}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section title={T.passkeys}>
      {passkeys.length === 0 ? (
        <p>{T.noPasskeys}</p>
      ) : (
        <Table caption={T.passkeys} columns={columns} rows={passkeys} keyOf={({ id }) => id} />
      )}
    </Section>
  );
}
