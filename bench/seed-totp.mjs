// Stores users with one verified TOTP device each through the built store, run as a process of its own by `ask`, and writes requests that use their codes.
import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { answerOnce, built } from './core.mjs';
import { verifyTotp, writeRequests } from './load/requests.mjs';

const BATCH = 10_000;
/** One secret for all: every user has the codes of three steps, which hold for days. */
const DEVICE = { name: 'phone', secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', period: 1_000_000, skew: 1, verified: true };
const STEPS = [-1, 0, 1];

/** The code of the device at a moment (ms since the epoch). */
const codeAt = (timestamp) => new TOTP({ secret: Secret.fromBase32(DEVICE.secret), period: DEVICE.period }).generate({ timestamp });

/** `{ dataDir, file, requests }` -> `{ users }`; a core must have used the folder. No user or code occurs twice, and rivals for one user are far apart. */
async function seed({ dataDir, file, requests }) {
  const [{ openStore }, { totpDevices }, { tenants }] = await Promise.all([
    built('store/open-store.js'),
    built('recipes/totp/records.js'),
    built('recipes/tenants/records.js'),
  ]);
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const users = Array.from({ length: Math.ceil(requests / STEPS.length) }, () => randomUUID());
  const now = Date.now();
  try {
    const { app } = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
    for (let stored = 0; stored < users.length; stored += BATCH) {
      await store.transact(async (tx) => {
        for (const userId of users.slice(stored, stored + BATCH)) {
          await tx.insert(totpDevices, { app, userId, devices: [{ ...DEVICE, createdAt: now }] });
        }
      });
    }
  } finally {
    await store.close();
  }
  const codes = STEPS.map((step) => codeAt(now + step * DEVICE.period * 1000));
  writeRequests(
    file,
    codes.flatMap((code) => users.map((userId) => verifyTotp(userId, code))),
  );
  return { users: users.length };
}

answerOnce(seed);
