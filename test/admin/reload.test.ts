import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { describeAdminPage, expectAccessible } from './admin-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchword-reload-'));
const file = join(folder, 'config.yaml');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeAdminPage(
  'the configuration read anew',
  (admin) => {
    test('what came of it is told: nothing, what changed, what needs a restart, what is wrong', async () => {
      const write = (text: string): void => writeFileSync(file, text);
      const page = await admin.open('admin', '#/tenants');
      const reload = page.getByRole('button', { name: 'Reload the configuration' });
      await reload.click();
      await page.getByText('Nothing has changed.').waitFor();
      write('access_token_validity: 77\nhttp_chunked: true\n');
      await reload.click();
      await page.getByText('Taken over: access_token_validity.').waitFor();
      await page.getByText('Counts only after a restart: http_chunked.').waitFor();
      await expectAccessible(page);
      write('access_token_validity: never\nprot: 1\n');
      await reload.click();
      await page.getByText('Nothing was taken over. What is wrong:').waitFor();
      await page.getByText('prot (did you mean port?)').waitFor();
      await expectAccessible(page);
      await page.goto(`${admin.url}#/tenants/public`);
      const row = page.getByRole('row').filter({ hasText: 'access_token_validity' });
      await row.getByText('77', { exact: true }).waitFor();
      await row.getByText('file', { exact: true }).waitFor();
    });
  },
  { flags: ['--config', file], faultsExpected: true },
);
