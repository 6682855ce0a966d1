// Begins logins and writes the requests that bring their answers back, run as a process of its own: each is good once.
import { createPrivateKey } from 'node:crypto';
import { answerOnce } from './core.mjs';
import { Connection } from './load/connection.mjs';
import { beginLogin, finishLogin, writeRequests } from './load/requests.mjs';
import { ACS_URL, response } from './load/saml-idp.mjs';

const CONNECTIONS = 8;
const RELAY_STATE = /RelayState=([0-9a-f-]{36})/;

/** `{ port, clientId, redirectUri, privateKey, certificate, requests, file }` -> `{ bytes }` of one response. */
async function seed({ port, clientId, redirectUri, privateKey, certificate, requests: wanted, file }) {
  const key = { privateKey: createPrivateKey(privateKey), certificate };
  const requests = [];
  let begun = 0;
  let bytes = 0;
  const work = async () => {
    const connection = await Connection.open(port);
    while (begun < wanted) {
      begun += 1;
      const { body } = await connection.exchange(beginLogin({ clientId, redirectURI: redirectUri, acsURL: ACS_URL }));
      const relayState = RELAY_STATE.exec(body)?.[1];
      if (relayState === undefined) throw new Error(`a login could not be begun: ${body.slice(0, 200)}`);
      const xml = response(key, relayState);
      bytes = xml.length;
      requests.push(finishLogin(Buffer.from(xml).toString('base64'), relayState));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  writeRequests(file, requests);
  return { bytes };
}

answerOnce(seed);
