import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { signatureHeaders, webhookSecret } from '../../../src/crypto/webhook-signature.ts';
import { PROJECT_ROOT } from '../../running-core.ts';

const page = readFileSync(join(PROJECT_ROOT, 'docs', 'webhooks.md'), 'utf8');

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

test('the receiver of docs/webhooks.md takes each message once, and nothing that is forged', async () => {
  const program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const port = await freePort();
  const secret = webhookSecret(Buffer.alloc(32, 5));
  const receiver = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: PROJECT_ROOT,
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void receiver.kill());
  let printed = '';
  receiver.stdout.on('data', (piece: Buffer) => (printed += piece.toString()));
  const body = JSON.stringify({ type: 'user.created', timestamp: new Date().toISOString(), data: { id: 'e1', userId: 'u1' } });
  const signed = signatureHeaders([secret], { id: 'e1', timestamp: Math.floor(Date.now() / 1000), body });
  const send = async (text: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: text, headers: signed }).catch(() => ({ status: 0 }))).status;
  await expect.poll(() => send(body), { timeout: 10_000 }).toBe(204);
  expect(await send(body)).toBe(204);
  expect(await send(body.replace('u1', 'u2'))).toBe(401);
  expect(printed).toBe('user.created u1\n');
});
