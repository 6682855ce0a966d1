import { X509Certificate } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { leases } from '../jobs/runner.ts';
import { oldestPending } from '../recipes/audit/seal.ts';
import { BASE_ADDRESS } from '../recipes/tenants/ensure-base-tenant.ts';
import { tenants } from '../recipes/tenants/records.ts';
import { samlClients, samlSpCredentials } from '../recipes/saml/records.ts';
import { isDynamic, signingKeys } from '../recipes/signing-keys/records.ts';
import type { Reader } from '../store/store.ts';
import { note, ok, type Verdict, warning } from './finding.ts';

/* What the store holds that ages. Of very many the first are looked at. */

const DAY_MS = 86_400_000;
const MOST = 10_000;
const SOON_MS = 30 * DAY_MS;
const OLD_KEY_MS = 2 * 365 * DAY_MS;
/** A core seals each second. */
const LATE_SEAL_MS = 60_000;
/** Clocks of one machine differ by less. */
const AHEAD_MS = 60_000;

const days = (ms: number): number => Math.floor(ms / DAY_MS);

/** API keys that are kept for the base app. */
export async function countKeptKeys(reader: Reader): Promise<number> {
  const { cud, appId, tenantId } = BASE_ADDRESS;
  const base = await reader.get(tenants, [cud, appId, tenantId]);
  return base?.apiKeys?.length ?? 0;
}

/** Whether something was written at a time that has not come yet. */
export async function checkStoredTimes(reader: Reader, now: number): Promise<readonly Verdict[]> {
  const all = await reader.list(leases, undefined, { prefix: [], limit: MOST });
  const newest = Math.max(0, ...all.map(({ ranAt }) => ranAt));
  if (newest <= now + AHEAD_MS) return [ok('nothing in the store is from the future')];
  const when = new Date(newest).toISOString();
  return [warning(`a job ran at ${when}, which has not come yet: the clock was set back`, 'see "The clock" in docs/operations.md')];
}

/** Events that wait for long: nobody runs the job that seals them, or it fails. */
export async function checkAuditTrail(reader: Reader, now: number, config: Config): Promise<readonly Verdict[]> {
  const [oldest] = await oldestPending(reader, 1);
  return trailVerdicts(config, oldest ? now - oldest.at : 0);
}

/** @param waited of the oldest event that is not sealed, ms */
export function trailVerdicts({ audit_trail: isOn }: Config, waited: number): readonly Verdict[] {
  if (!isOn) return [warning('the audit trail is off: nothing tells who changed what', 'set audit_trail: true')];
  if (waited < LATE_SEAL_MS) return [ok('events of the audit trail are sealed')];
  const minutes = Math.floor(waited / LATE_SEAL_MS);
  return [note(`events of the audit trail have waited ${minutes} minutes to be sealed`, 'start a core on this store, or see its log')];
}

/** Dynamic keys follow each other by themselves; static ones are for operators to replace. */
export async function checkSigningKeys(reader: Reader, now: number): Promise<readonly Verdict[]> {
  const all = await reader.list(signingKeys, undefined, { prefix: [], limit: MOST });
  const newestOf = new Map<number, number>();
  for (const { app, kid, createdAt } of all) if (!isDynamic(kid)) newestOf.set(app, Math.max(newestOf.get(app) ?? 0, createdAt));
  const old = [...newestOf.values()].filter((createdAt) => now - createdAt > OLD_KEY_MS).length;
  if (old === 0) return [ok(`static signing keys of ${newestOf.size} apps are younger than two years`)];
  return [note(`the static signing keys of ${old} apps are older than two years`, 'replace them: "watchword keys rotate"')];
}

/** Certificates of ours are renewed when they are used; those of identity providers by whoever runs them. */
export async function checkCertificates(reader: Reader, now: number): Promise<readonly Verdict[]> {
  const [own, clients] = await Promise.all([
    reader.list(samlSpCredentials, undefined, { prefix: [], limit: MOST }),
    reader.list(samlClients, undefined, { prefix: [], limit: MOST }),
  ]);
  const found = [
    ...own.flatMap(({ credentials }) => {
      const end = Math.max(...credentials.map(({ notAfter }) => notAfter));
      return endVerdict('a certificate of a SAML service provider', end, now, 'have its metadata read: that makes a new one');
    }),
    ...clients.flatMap(({ clientId, certificates }) => {
      const end = Math.max(...certificates.map(endOf));
      return endVerdict(`the certificates of SAML client ${clientId}`, end, now, 'load the metadata of its identity provider again');
    }),
  ];
  return found.length > 0 ? found : [ok(`certificates of ${own.length} SAML service providers and ${clients.length} clients hold`)];
}

function endVerdict(what: string, end: number, now: number, remedy: string): readonly Verdict[] {
  if (end <= now) return [warning(`${what} ended ${days(now - end)} days ago`, remedy)];
  return end - now < SOON_MS ? [note(`${what} will end in ${days(end - now)} days`, remedy)] : [];
}

function endOf(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
  } catch {
    return 0;
  }
}
