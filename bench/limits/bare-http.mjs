// The limit of a verify: the bare engine on one thread reads the same body and answers the same bytes. Nothing is parsed or looked up.
import uws from 'uWebSockets.js';
import { answerOnce } from '../core.mjs';

/** Listens on a free loopback port until it is ended: `{ path, head, body }` of an answer to repeat -> `{ port }`. */
function listen({ path, head, body }) {
  const contentType = /\r\ncontent-type: *([^\r]+)/i.exec(head)?.[1] ?? 'application/json;charset=UTF-8';
  return new Promise((done, failed) => {
    uws
      .App()
      .post(path, (response) => {
        let received = 0;
        response.onAborted(() => {
          received = 0;
        });
        response.onData((chunk, last) => {
          received += chunk.byteLength;
          if (last && received > 0) response.cork(() => response.writeHeader('content-type', contentType).end(body));
        });
      })
      .listen('127.0.0.1', 0, (socket) => (socket ? done({ port: uws.us_socket_local_port(socket) }) : failed(new Error('cannot listen'))));
  });
}

answerOnce(listen);
