// The limit of a verify: the bare engine on one thread reads the same body and answers the same bytes. Nothing is parsed or looked up.
import uws from 'uWebSockets.js';
import { answerOnce } from '../core.mjs';

/** Listens on a free loopback port until it is ended: `{ head, body }` of an answer to repeat -> `{ port }`. */
function listen({ head, body }) {
  const contentType = /\r\ncontent-type: *([^\r]+)/i.exec(head)?.[1] ?? 'application/json;charset=UTF-8';
  return new Promise((done, failed) => {
    uws
      .App()
      .any('/*', (response) => {
        const chunks = [];
        response.onAborted(() => chunks.splice(0));
        response.onData((chunk, last) => {
          // The engine takes the memory back after this call, so a real handler has to copy it as well.
          chunks.push(Buffer.from(chunk.slice(0)));
          if (!last) return;
          response.cork(() => response.writeHeader('content-type', contentType).end(body));
        });
      })
      .listen('127.0.0.1', 0, (socket) => (socket ? done({ port: uws.us_socket_local_port(socket) }) : failed(new Error('cannot listen'))));
  });
}

answerOnce(listen);
