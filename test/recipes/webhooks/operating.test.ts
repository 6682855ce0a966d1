import { writeFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { KEY } from '../../cli/places.ts';
import { headersOf, SOON, withHookedCore } from './hooked-core.ts';

const { places, receiver, ask, signUp, add, remove } = withHookedCore();

describe('what arrives', () => {
  test('is signed with both secrets during a rotation, and then with the new one alone', async () => {
    const file = `${places.folder}/secret`;
    const own = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    writeFileSync(file, `${own}\n`);
    const { id, secret: old } = await add(['user.*']);
    expect((await places.onCore(['webhook', 'rotate', id, '--secret-file', file])).stdout).toBe(`${own}\n`);
    expect((await places.onCore(['webhook', 'test', id])).stdout).toBe('Delivered: answered 204.\n');
    const takes = (secret: string): boolean => {
      const last = receiver().received.at(-1);
      const headers = last ? headersOf(last) : {};
      try {
        return new Webhook(secret).verify(last?.body ?? '', headers) !== undefined;
      } catch {
        return false;
      }
    };
    expect([takes(old), takes(own)]).toEqual([true, true]);
    await places.onCore(['webhook', 'rotate', id, '--hours', '0']);
    await places.onCore(['webhook', 'test', id]);
    expect([takes(old), takes(own)]).toEqual([false, false]);
    const shown = await Promise.all(
      [['list'], ['list', '--json'], ['deliveries', id], ['dead-letters', id]].map((words) => places.onCore(['webhook', ...words])),
    );
    for (const { code, stdout } of shown) {
      expect(code).toBe(0);
      expect(stdout).not.toContain('whsec_');
    }
    expect(places.core().output()).not.toContain('whsec_');
    await remove(id);
  });

  test('comes again after a failure, in the order of its user, and is counted', async () => {
    const { id } = await add(['user.disabled', 'user.enabled']);
    const [bob, cy] = [await signUp('bob@example.com'), await signUp('cy@example.com')];
    let failures = 0;
    receiver().answer = (response, { userId }) => {
      if (userId === bob && failures === 0) {
        failures += 1;
        response.writeHead(500).end();
      } else response.writeHead(200).end();
    };
    await ask('POST', '/manage/v1/user/disable', { userId: bob });
    await ask('POST', '/manage/v1/user/disable', { userId: cy });
    await ask('POST', '/manage/v1/user/enable', { userId: bob });
    await expect.poll(() => receiver().received.length, SOON).toBe(4);
    expect(
      receiver()
        .received.filter(({ userId }) => userId === bob)
        .map(({ type }) => type),
    ).toEqual(['user.disabled', 'user.disabled', 'user.enabled']);
    await expect.poll(async () => (await places.onCore(['webhook', 'deliveries', id])).stdout, SOON).toMatch(/answered 500/);
    const metrics = async (): Promise<string> => (await fetch(`${places.core().url}/metrics`, { headers: { 'api-key': KEY } })).text();
    await expect.poll(metrics, SOON).toMatch(/watchword_webhook_attempts_total\{outcome="delivered"\} [1-9]/);
    expect(await metrics()).toMatch(/watchword_webhook_attempts_total\{outcome="failed"\} 1\n/);
    expect(await metrics()).toMatch(/watchword_webhook_lag_seconds 0\n/);
    await remove(id);
  });
});

describe('commands', () => {
  test('disable, enable, update and replay', async () => {
    const { id } = await add(['user.created'], '--description', 'CRM');
    await places.onCore(['webhook', 'disable', id]);
    const userId = await signUp('dee@example.com');
    expect((await places.onCore(['webhook', 'list'])).stdout).toMatch(new RegExp(`${id} .* disabled`));
    const updated = await places.onCore(['webhook', 'update', id, '--kind', 'user.*', '--target', `${receiver().url}?a=b`]);
    expect(updated.stdout).toContain(`${receiver().url}?a=b\n`);
    await places.onCore(['webhook', 'enable', id]);
    await expect.poll(() => receiver().received.map((one) => one.userId), SOON).toEqual([userId]);
    const [first] = receiver().received;
    expect((await places.onCore(['webhook', 'replay', id, '--position', String(first?.sequence)])).code).toBe(0);
    await expect.poll(() => receiver().received.length, SOON).toBe(2);
    expect((await places.onCore(['webhook', 'replay', id, '--dead-letters'])).stdout).toBe('0 dead letters are sent again.\n');
    expect((await places.onCore(['webhook', 'replay', id, '--since', 'yesterday'])).code).toBe(64);
    await remove(id);
    expect((await places.onCore(['webhook', 'deliveries', id])).code).toBe(3);
  });

  test('a test tells why nothing was delivered', async () => {
    const { id } = await add(['*']);
    receiver().answer = (response) => response.writeHead(302, { location: '/' }).end();
    expect(await places.onCore(['webhook', 'test', id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('answered 302; redirects are not followed'),
    });
    await remove(id);
  });
});
