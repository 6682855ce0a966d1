import { createServer } from 'node:net';

/**
 * Rejects with the system's error when nobody can listen on this address. uWebSockets.js shares ports with whoever asks, so for it
 * a taken port is no error; this asks for the port alone first. Port 0 stands for any free one and is always there.
 */
export function probePort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}
