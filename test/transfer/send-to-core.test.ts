import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { CoreClient } from '../../src/transfer/core-client.ts';
import type { Batch } from '../../src/transfer/outcome.ts';
import { Patience } from '../../src/transfer/patience.ts';
import { CoreTarget } from '../../src/transfer/send-to-core.ts';

const USER = { loginMethods: [{ recipeId: 'emailpassword', email: 'a@example.com' }] };
const ID = '11111111-2222-4333-8444-555555555555';
const BATCH: Batch = {
  users: [{ at: 1, text: JSON.stringify(USER), user: USER }],
  others: [],
  next: { offset: 60, passed: 1 },
};

/** A core whose queue holds what each look at it finds; nobody is imported. */
async function targetOf(looks: readonly object[][]): Promise<CoreTarget> {
  let at = 0;
  const server = createServer((request, response) => {
    const users = request.url?.startsWith('/bulk-import') ? (looks[Math.min(at++, looks.length - 1)] ?? []) : [];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'OK', users }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const client = new CoreClient({ url: new URL(`http://127.0.0.1:${port}`), apiKey: undefined, appId: undefined, host: undefined });
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const patience = new Patience({ longestMs: 1_000, signal: new AbortController().signal, onTrouble: () => {} });
  return new CoreTarget('a core', client, patience);
}

test('a request that the core was still at work on when it was first looked for has come', async () => {
  const target = await targetOf([[], [{ ...USER, id: ID, status: 'NEW' }]]);
  expect(await target.recall(BATCH)).toEqual({ status: 'accepted', rejects: [], queued: [{ at: 1, id: ID }] });
});

test('one that is nowhere, be it looked for later, has not', async () => {
  const target = await targetOf([[]]);
  expect(await target.recall(BATCH)).toBeUndefined();
});
