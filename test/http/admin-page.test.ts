import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/http/probe-port.ts';
import { KEY } from '../cli/places.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { addOperator, Browser, send } from '../recipes/admin/browser.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';

const SCRIPT = readdirSync(join(PROJECT_ROOT, 'dist', 'admin', 'assets')).find((name) => /^main-.*\.js$/.test(name)) ?? '';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async function bytes(url: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

describe.each(LOADABLE_ENGINES)('the page by the engine %s', (engine) => {
  let core: RunningCore;
  beforeAll(async () => {
    core = await startCore({ env: { API_KEYS: KEY, HTTP_ENGINE: engine, BASE_PATH: '/auth', IP_DENY_REGEX: '::1' } });
  });
  afterAll(() => core?.stop());

  test.each(['/admin', '/auth/admin'])('%s leads to the page, relative to itself', async (path) => {
    const { status, headers } = await bytes(core.url + path);
    expect([status, headers.get('location')]).toEqual([308, 'admin/']);
  });

  test.each(['/admin/', '/auth/admin/', '/admin/index.html'])('%s is the page: in no cache and in no frame', async (path) => {
    const { status, headers, body } = await bytes(core.url + path);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(body.toString()).toContain(`src="./assets/${SCRIPT}"`);
  });

  test('all of it is small', () => {
    const folder = join(PROJECT_ROOT, 'dist', 'admin');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.br'));
    const bytesOfAll = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytesOfAll).toBeGreaterThan(10_000);
    expect(bytesOfAll).toBeLessThanOrEqual(150_000);
  });

  test('files are sent as small as the browser takes them, and kept for ever', async () => {
    const url = `${core.url}/admin/assets/${SCRIPT}`;
    const plain = await bytes(url, { 'accept-encoding': 'identity' });
    const gzip = await send(core.port, 'HEAD', `/admin/assets/${SCRIPT}`, { 'accept-encoding': 'gzip' });
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(Number(gzip.headers['content-length'])).toBeLessThan(plain.body.length);
    const brotli = await send(core.port, 'HEAD', `/admin/assets/${SCRIPT}`, { 'accept-encoding': 'gzip, deflate, br' });
    expect(brotli.headers['content-encoding']).toBe('br');
    const none = await send(core.port, 'HEAD', `/admin/assets/${SCRIPT}`, { 'accept-encoding': 'gzip;q=0, br;q=0.0' });
    expect(none.headers['content-encoding']).toBeUndefined();
    const again = await bytes(url, { 'if-none-match': String(plain.headers.get('etag')) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test.each([
    '/admin/../package.json',
    '/admin/%2e%2e/package.json',
    '/admin/..%2fpackage.json',
    '/admin/assets/../../src/main.js',
    '/admin//etc/passwd',
    '/admin/index.html.br',
    '/admin/assets/',
    '/admin/https://evil.example',
  ])('%s is no file', async (path) => {
    const { status, headers } = await send(core.port, 'GET', path, { host: 'localhost' });
    expect([400, 401, 404]).toContain(status);
    expect(headers['location']).toBeUndefined();
  });

  test('its requests are answered behind the base path', async () => {
    await addOperator(core.port, KEY, 'ann@example.com', 'viewer').catch(() => {});
    const answer = await send(core.port, 'GET', '/auth/manage/v1/operator', { host: `localhost:${core.port}` });
    expect(answer.body).toEqual({ status: 'SIGNED_OUT_ERROR' });
  });
});

test('compressed files hold what the plain one does', async () => {
  const folder = join(PROJECT_ROOT, 'dist', 'admin');
  const { readFileSync } = await import('node:fs');
  const plain = readFileSync(join(folder, 'index.html'));
  expect(brotliDecompressSync(readFileSync(join(folder, 'index.html.br')))).toEqual(plain);
  expect(gunzipSync(readFileSync(join(folder, 'index.html.gz')))).toEqual(plain);
});

describe('where it is served', () => {
  test('nowhere with admin_page false: a tenant may be called so', async () => {
    const core = await startCore({ env: { ADMIN_PAGE: 'false', API_KEYS: KEY } });
    try {
      for (const path of ['/admin', '/admin/']) expect((await send(core.port, 'GET', path)).status).not.toBe(200);
      expect((await send(core.port, 'GET', '/manage/v1/operator')).status).toBe(404);
    } finally {
      await core.stop();
    }
  });

  test('on a listener of its own, which takes no keys; the main port takes no cookies then', async () => {
    const port = await freePort('127.0.0.1');
    const core = await startCore({ env: { ADMIN_PORT: String(port) } });
    try {
      await addOperator(core.port, KEY, 'ann@example.com', 'admin');
      const browser = new Browser(port);
      expect((await browser.signIn('ann@example.com')).body['status']).toBe('OK');
      expect((await browser.ask('GET', '/users')).status).toBe(200);
      expect((await browser.ask('GET', '/metrics')).status).toBe(200);
      expect((await send(port, 'GET', '/admin/')).status).toBe(200);
      // This core asks for no keys: there, nobody is everybody.
      for (const path of ['/users', '/hello', '/metrics', '/manage/v1/backup'])
        expect((await send(port, 'GET', path, { 'api-key': KEY })).status, path).toBe(401);
      expect((await send(core.port, 'GET', '/admin/')).text).not.toContain('<!doctype html>');
      const there = new Browser(core.port);
      expect((await there.signIn('ann@example.com')).status).toBe(404);
    } finally {
      await core.stop();
    }
  });

  test('operators must enrol one-time codes where the configuration asks for them', async () => {
    const core = await startCore({ env: { ADMIN_REQUIRE_TOTP: 'true', API_KEYS: KEY } });
    try {
      await addOperator(core.port, KEY, 'ann@example.com', 'admin');
      const browser = new Browser(core.port);
      expect((await browser.signIn('ann@example.com')).body).toMatchObject({ status: 'OK', mustEnrolTotp: true });
      const refused = await browser.ask('GET', '/users');
      expect([refused.status, refused.text]).toEqual([
        403,
        'Enrol an app that makes one-time codes first: this core asks every operator for one',
      ]);
    } finally {
      await core.stop();
    }
  });
});
