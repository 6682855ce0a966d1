import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The address that a host names: `localhost` is the same one everywhere, wherever the system would look for it. */
export function listenAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/**
 * Rejects with the system's error when nobody can listen on this address. uWebSockets.js shares a taken port instead of
 * failing, so this asks for the port alone first. Port 0 stands for any free one and is always there.
 */
export function probePort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

/** Ports below the range from which systems take the local ports of outgoing connections. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const ATTEMPTS = 50;

/** A free port that several listeners can share; uWebSockets.js cannot share one the system chooses (port 0). */
export async function freePort(host: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = FIRST_PORT + randomInt(PORTS);
    try {
      await probePort(host, port);
      return port;
    } catch (error) {
      if (attempt === ATTEMPTS || !isTaken(error)) throw error;
    }
  }
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
