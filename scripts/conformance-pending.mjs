#!/usr/bin/env node
// Rewrites test/conformance-pending.json from a report of the conformance runner (`node run.mjs URL --json FILE`), by hand and never in a test:
//   node scripts/conformance-pending.mjs FILE [--add]
// Scenarios that pass leave the list. With --add, failing ones that are not on it are added under the issue of their recipe; without it they are
// only printed, because a scenario that worked before must be repaired, not postponed.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Which issue builds the recipe of a scenario file; 0 where none does yet. */
const ISSUES = {
  'accountlinking.mjs': 4,
  'emailpassword.mjs': 4,
  'emailverification.mjs': 4,
  'passwordless.mjs': 4,
  'thirdparty.mjs': 4,
  'useridmapping.mjs': 4,
  'users.mjs': 4,
  'session.mjs': 4,
  'service.mjs': 4,
  'bulkimport.mjs': 5,
  'dashboard.mjs': 5,
  'multitenancy.mjs': 5,
  'totp.mjs': 5,
  'usermetadata.mjs': 5,
  'userroles.mjs': 5,
  'saml.mjs': 6,
};

const [report, mode] = process.argv.slice(2);
if (report === undefined) {
  console.error('usage: conformance-pending.mjs FILE [--add]');
  process.exit(2);
}
const file = join(dirname(fileURLToPath(import.meta.url)), '..', 'test', 'conformance-pending.json');
const before = JSON.parse(readFileSync(file, 'utf8'));
const after = {};
for (const { file: area, title, ok, failure } of JSON.parse(readFileSync(report, 'utf8'))) {
  const name = `${area} › ${title}`;
  if (ok) {
    if (name in before) console.log(`passes now: ${name}`);
  } else if (name in before) after[name] = before[name];
  else if (mode === '--add') after[name] = ISSUES[area] ?? 0;
  else console.log(`fails: ${name}\n    ${failure}`);
}
writeFileSync(file, `${JSON.stringify(after, null, 2)}\n`);
console.log(`${Object.keys(after).length} pending`);
