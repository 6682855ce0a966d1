import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';
import { type Place, place, PUBLIC, placeQuery } from './place.ts';
import { linkTo, route } from './route.ts';

export const isPickingPlace = signal(false);

/** As it is named on the button: the parts that are not the core's own. */
export function nameOf({ connectionUriDomain, appId, tenantId }: Place): string {
  const parts = [connectionUriDomain, appId === PUBLIC ? '' : appId, tenantId === PUBLIC ? '' : tenantId].filter(Boolean);
  return parts.length === 0 ? PUBLIC : parts.join(' / ');
}

/** Opens the page that one is on for another place; an item of the old place is left. */
export function moveTo(to: Place): void {
  const none = { domain: undefined, app: undefined, tenant: undefined };
  location.hash = linkTo(route.value.page, undefined, { ...none, ...placeQuery(to) });
}

/** Asks for another app or tenant. */
export function PlacePicker(): JSX.Element | null {
  if (!isPickingPlace.value) return null;
  const close = (): void => {
    isPickingPlace.value = false;
  };
  const { connectionUriDomain, appId, tenantId } = place.value;
  return (
    <Dialog title={TEXTS.choosePlace} onClose={close}>
      <Form
        action={TEXTS.go}
        onCancel={close}
        onSubmit={async (values) => {
          moveTo({
            connectionUriDomain: values['domain']?.trim() ?? '',
            appId: values['app']?.trim() || PUBLIC,
            tenantId: values['tenant']?.trim() || PUBLIC,
          });
          close();
        }}
      >
        <Field label={TEXTS.appId} name="app" defaultValue={appId} autoComplete="off" />
        <Field label={TEXTS.tenantId} name="tenant" defaultValue={tenantId} autoComplete="off" />
        <Field
          label={TEXTS.connectionUriDomain}
          name="domain"
          defaultValue={connectionUriDomain}
          autoComplete="off"
          hint={TEXTS.domainHint}
        />
      </Form>
    </Dialog>
  );
}
