import type { JSX } from 'preact';
import { inTenant, place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { ErrorNote, PageFrame } from '../ui/states.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Config } from './tenants/config.tsx';
import { Providers } from './tenants/providers.tsx';
import { Reloaded } from './tenants/reload.tsx';
import { Remove } from './tenants/remove.tsx';
import { SignInWays } from './tenants/sign-in.tsx';
import { isBase, readTenant } from './tenants/tenant.ts';

const T = TEXTS.tenants;

/** A tenant: how users sign in, its providers, and the configuration in force. @param item its id, in the app of the page */
export default function TenantPage({ item }: { readonly item: string }): JSX.Element {
  const at = inTenant(item);
  const { data, error, reload } = useAnswer((signal) => readTenant(at, signal), [place.value, item]);
  return (
    <PageFrame
      title={nameOf(at)}
      lead={<a href={linkTo('tenants')}>{T.title}</a>}
      actions={data && can('tenants') && !isBase(at) && <Remove at={at} />}
    >
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      <Reloaded />
      {data && (
        <>
          <SignInWays known={data} onChanged={reload} />
          <Providers known={data} onChanged={reload} />
          <Config known={data} onChanged={reload} />
        </>
      )}
    </PageFrame>
  );
}
