import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Where bytes go. */
export type Direction = 'to the server' | 'to the client';

/** What becomes of a piece: other bytes in its place, and whether the connection is cut behind them. */
export interface Fate {
  readonly pass: Buffer;
  readonly isCut?: boolean;
}

/** Looks at each piece that passes. */
export type Meddle = (direction: Direction, piece: Buffer) => Fate;

/** Stands between a core and its database, and cuts connections. */
export interface CuttingProxy {
  readonly port: number;
  /** The same URL with this proxy in place of the server. */
  through(url: string): string;
  /** Leads to another server from now on; connections that are there stay. */
  lead(target: number): void;
  /** Cuts half of the connections, now in one direction, now in the other, wherever they are. */
  cutSome(): void;
  cutAll(): void;
  /** Takes connections and lets nothing through, until told to. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** Opens a proxy to a database on loopback. */
export async function openCuttingProxy(target: number, meddle?: Meddle): Promise<CuttingProxy> {
  const pairs = new Set<Pair>();
  let [to, isHeld] = [target, false];
  const proxy = createServer((near) => {
    const pair = { near, far: connect(to, '127.0.0.1') };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      pair.far.destroy();
    };
    for (const socket of [near, pair.far]) socket.setNoDelay(true).on('error', end).on('close', end);
    if (isHeld) for (const socket of [near, pair.far]) socket.pause();
    join(pair, meddle ?? ((_, pass) => ({ pass })), end);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  let turn = 0;
  const cutAll = (): void => {
    for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy();
  };
  return {
    port,
    cutAll,
    through: (url) => url.replace(/:\d+\//, `:${port}/`),
    lead: (next) => (to = next),
    hold: (next) => {
      isHeld = next;
      for (const { near, far } of pairs) for (const socket of [near, far]) socket[isHeld ? 'pause' : 'resume']();
    },
    cutSome: () => {
      for (const { near, far } of pairs) {
        turn += 1;
        // Answers that are lost leave an outcome in doubt; statements that are lost do not.
        if (turn % 4 === 0) near.destroy();
        if (turn % 4 === 2) far.destroy();
      }
    },
    close: async () => {
      cutAll();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

function join({ near, far }: Pair, meddle: Meddle, end: () => void): void {
  const ways = [
    { direction: 'to the server', from: near, to: far },
    { direction: 'to the client', from: far, to: near },
  ] as const;
  for (const { direction, from, to } of ways) {
    from.on('data', (piece: Buffer) => {
      const { pass, isCut } = meddle(direction, piece);
      // What was passed on arrives before the end.
      to.write(pass, () => isCut && end());
      if (isCut) from.removeAllListeners('data').pause();
    });
  }
}
