import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { KEY } from '../../cli/places.ts';
import { type RunningCore, startCore } from '../../running-core.ts';
import { CHROMIUM, openChromium, type Page } from '../../sdk/chromium.ts';
import { totpCode } from '../../totp-code.ts';
import { addOperator, PASSWORD } from './browser.ts';

const EMAIL = 'browser@example.com';
const LIMIT_MS = 120_000;

if (CHROMIUM === undefined) {
  test('the admin page in a browser', () => {
    console.log('the admin page in a browser: Chromium is not installed, left out');
  });
} else {
  const program = CHROMIUM;

  describe('Chromium on this machine, without TLS', { timeout: LIMIT_MS }, () => {
    let core: RunningCore;
    let page: Page;

    beforeAll(async () => {
      core = await startCore({ env: { API_KEYS: KEY, ADMIN_REQUIRE_TOTP: 'true' } });
      await addOperator(core.port, KEY, EMAIL, 'support');
      page = await openChromium(program);
    }, LIMIT_MS);
    afterAll(async () => {
      await page?.close();
      await core?.stop();
    });

    const text = (): Promise<string> => page.run<string>('return document.body.innerText');
    const shows = (...parts: readonly string[]): Promise<void> =>
      vi.waitFor(async () => {
        const shown = await text();
        for (const part of parts) expect(shown).toContain(part);
      }, 20_000);
    const submit = (values: Readonly<Record<string, string>>, button: string): Promise<void> =>
      page.run(
        `const [fields, name] = values;
         const form = [...document.querySelectorAll('form')].find((one) => one.innerText.includes(name));
         for (const [field, value] of Object.entries(fields)) form.elements[field].value = value;
         form.requestSubmit();`,
        values,
        button,
      );

    test.each(['localhost', '127.0.0.1'])('signs in at %s, enrols, and signs out', async (host) => {
      await page.goTo(`http://${host}:${core.port}/admin`);
      await shows('Sign in');
      const violations = `window.violations = []; document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective));`;
      await page.run(violations);
      await submit({ email: EMAIL, password: 'a wrong password 1' }, 'Sign in');
      await shows('Email or password is wrong');
      await submit({ email: EMAIL, password: PASSWORD }, 'Sign in');
      await shows('asks every operator', EMAIL, 'support', 'read, users');
      await submit({}, 'Set up one-time codes');
      await shows('Add this secret');
      const secret = await page.run<string>(`return document.querySelector('#secret').textContent`);
      await submit({ totp: totpCode({ secret, period: 30, skew: 1 }, Date.now()) }, 'Verify');
      await vi.waitFor(async () => expect(await text()).toMatch(/One-time codes\s+on/), 20_000);
      // The session is in a cookie that scripts do not see, and opens what the role is for.
      const seen = await page.run<readonly unknown[]>(
        `const users = await fetch('../users'); const keys = await fetch('../manage/v1/api-keys');
         return [document.cookie, users.status, keys.status, window.violations, window.opener];`,
      );
      expect(seen).toEqual(['', 200, 403, [], null]);
      await submit({}, 'Sign out');
      await shows('Email');
      expect(await page.run('return (await fetch("../users")).status')).toBe(401);
      await fetch(`${core.url}/manage/v1/operators/totp/remove`, {
        method: 'POST',
        headers: { 'api-key': KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ email: EMAIL }),
      });
    });
  });
}
