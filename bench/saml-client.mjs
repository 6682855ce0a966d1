// A client of a core under measurement whose identity provider we are.
import { randomUUID } from 'node:crypto';
import { askOnce } from './core.mjs';
import { makeKey, metadata } from './load/saml-idp.mjs';

const REDIRECT_URI = 'https://app.example.com/auth/callback/saml';

/** Calls an endpoint of the public tenant; throws where the answer is not OK. */
async function call(port, method, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}/public/recipe/saml/${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'cdi-version': '5.4' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!text.includes('"status":"OK"')) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** A kept store has the client of the run before, and an identity provider may have one only. */
async function removeClients(port) {
  const { clients } = await call(port, 'GET', 'clients/list');
  for (const { clientId } of clients) await call(port, 'POST', 'clients/remove', { clientId });
}

/** @returns {Promise<SamlClient>} a registered client; it does not sign its requests, which only begin what is measured */
export async function makeSamlClient(port) {
  const key = makeKey();
  const clientId = `bench-${randomUUID()}`;
  const body = {
    clientId,
    defaultRedirectURI: REDIRECT_URI,
    redirectURIs: [REDIRECT_URI],
    metadataXML: Buffer.from(metadata(key)).toString('base64'),
    enableRequestSigning: false,
  };
  await removeClients(port);
  await call(port, 'PUT', 'clients', body);
  return new SamlClient(port, clientId, key);
}

class SamlClient {
  #port;
  #clientId;

  constructor(port, clientId, key) {
    this.#port = port;
    this.#clientId = clientId;
    this.key = key;
  }

  /** Begins so many logins and writes the requests that end them to a file. They are good for minutes, and once. */
  prepare(file, requests) {
    const privateKey = this.key.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const { certificate } = this.key;
    return askOnce('seed-saml.mjs', {
      port: this.#port,
      clientId: this.#clientId,
      redirectUri: REDIRECT_URI,
      privateKey,
      certificate,
      requests,
      file,
    });
  }
}
