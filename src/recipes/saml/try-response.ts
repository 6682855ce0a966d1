import type { Context } from '../context.ts';
import { requireAcsUrl } from './acs-url.ts';
import { findClient } from './clients.ts';
import { expectationOf } from './expectation.ts';
import { explainResponse, type TestExplanation } from './explain-response.ts';
import { decryptionKeys } from './sp-credentials.ts';
import type { TestRequest } from './start-test.ts';

/** A response that was captured elsewhere. */
export interface CapturedResponse extends TestRequest {
  /** As a browser posts it: base64. */
  readonly samlResponse: string;
}

export type TriedResponse =
  | { readonly status: 'OK'; readonly isAccepted: boolean; readonly explanation: TestExplanation }
  | { readonly status: 'UNKNOWN_CLIENT_ERROR' };

/**
 * How a response would be checked, without any effect: neither is it used up, nor does anybody log in. Which request it
 * answers is not known here, so whatever it names is taken for right. @throws Refusal
 */
export async function tryResponse(context: Context, { samlResponse, ...wanted }: CapturedResponse): Promise<TriedResponse> {
  const { store, tenant, crypto } = context;
  const acsUrl = wanted.acsURL === undefined ? (tenant.config.saml_sp_acs_url ?? undefined) : requireAcsUrl(wanted.acsURL);
  const [client, keys] = await store.read((reader) =>
    Promise.all([findClient(reader, tenant, wanted.clientId), decryptionKeys(context, reader, tenant)]),
  );
  if (!client) return { status: 'UNKNOWN_CLIENT_ERROR' };
  const read = await crypto.checkSamlResponse({ samlResponse });
  const requestIds = read.status === 'READABLE' && read.inResponseTo !== undefined ? [read.inResponseTo] : [];
  const expected = expectationOf(context, tenant, { client, requestIds, acsUrl, decryptionKeys: keys });
  const checked = await crypto.checkSamlResponse({ samlResponse, expected, explains: true });
  const explanation = explainResponse(checked, { expected, tenant, isReplay: undefined });
  return { status: 'OK', isAccepted: checked.status === 'OK', explanation };
}
