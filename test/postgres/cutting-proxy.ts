import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a core and its database, and cuts connections. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts half of the connections, now in one direction, now in the other, wherever they are. */
  cutSome(): void;
  close(): Promise<void>;
}

/** Opens a proxy to a database on loopback. */
export async function openCuttingProxy(target: number): Promise<CuttingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const proxy = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.pipe(far);
    far.pipe(near);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  let turn = 0;
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    cutSome: () => {
      for (const [near, far] of pairs) {
        turn += 1;
        // Answers that are lost leave an outcome in doubt; statements that are lost do not.
        if (turn % 4 === 0) near.destroy();
        if (turn % 4 === 2) far.destroy();
      }
    },
    close: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
