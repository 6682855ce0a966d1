import type { AppNumber, Reader } from '../../store/store.ts';
import { findId } from '../accounts/find.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';

/** The login method with passkeys that has this id itself, internal or external. */
export async function findWebauthnMethod(reader: Reader, app: AppNumber, id: string): Promise<LoginMethodRecord | undefined> {
  const method = (await findId(reader, app, id))?.method;
  return method?.recipe === 'webauthn' ? method : undefined;
}
