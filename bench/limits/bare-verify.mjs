// What no server can do faster: a bare handler that finds the token in the body and checks its signature, nothing more, and answers the same bytes.
import { createPublicKey, verify } from 'node:crypto';
import uws from 'uWebSockets.js';
import { answerOnce } from '../core.mjs';

const TOKEN = Buffer.from('"accessToken":"');
const QUOTE = 0x22;
const DOT = 0x2e;

/** Whether the token in a body was signed by the key. Bodies are as `verifySession` makes them. */
function isSigned(body, key) {
  const from = body.indexOf(TOKEN) + TOKEN.length;
  const end = body.indexOf(QUOTE, from);
  const dot = body.lastIndexOf(DOT, end);
  return verify('sha256', body.subarray(from, dot), key, Buffer.from(body.latin1Slice(dot + 1, end), 'base64url'));
}

/** Listens on a free loopback port until it is ended: `{ path, body, jwk }` of an answer to repeat and of the key -> `{ port }`. */
function listen({ path, body, jwk }) {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return new Promise((done, failed) => {
    uws
      .App()
      .post(path, (response) => {
        response.onAborted(() => {});
        // The bodies are small: each comes in one piece.
        response.onData((chunk) => {
          const answer = isSigned(Buffer.from(chunk), key) ? body : 'the signature is wrong';
          response.cork(() => response.writeHeader('content-type', 'application/json;charset=UTF-8').end(answer));
        });
      })
      .listen('127.0.0.1', 0, (socket) => (socket ? done({ port: uws.us_socket_local_port(socket) }) : failed(new Error('cannot listen'))));
  });
}

answerOnce(listen);
