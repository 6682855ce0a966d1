import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cdiClient } from '../../cdi-client.ts';
import { type RunningCore, startCore } from '../../running-core.ts';
import { create, decode, type SessionAnswer, verify } from '../session/session-calls.ts';

/**
 * Signing keys with intervals of seconds, watched from outside. Keys are named by the ms of their birth (`d-<ms>`), and the core shares our
 * clock, so every rule of contract 02 section 1.4 can be checked on samples without counting on when exactly a sample was taken.
 */
const INTERVAL_MS = 3600;
const VALIDITY_MS = 1000;
const OVERLAP_MS = 720;
const VERIFIES_MS = INTERVAL_MS + 2 * VALIDITY_MS;
const WATCH_MS = 9000;
/** On a busy machine a key takes seconds to make, and so we look for longer, until there is enough to see. */
const LONGEST_WATCH_MS = 60_000;

interface Jwks {
  readonly keys: readonly {
    readonly kid: string;
    readonly kty: string;
    readonly alg: string;
    readonly use: string;
    readonly e: string;
    readonly n: string;
  }[];
}

interface Sample {
  readonly before: number;
  readonly after: number;
  /** Births of the published dynamic keys, as published. */
  readonly published: readonly number[];
  readonly signer: number;
  readonly maxAge: number;
}

const birthOf = (kid: string): number => Number(kid.slice(2));
const dynamicKeys = (jwks: Jwks): number[] => jwks.keys.filter((key) => key.kid.startsWith('d-')).map((key) => birthOf(key.kid));

describe('signing keys', () => {
  let core: RunningCore;
  const samples: Sample[] = [];
  const fates: { readonly access: string; readonly signer: number; verifiedAt: number; answer?: SessionAnswer }[] = [];

  const births = (): number[] => [...new Set(samples.flatMap((sample) => sample.published))].toSorted((a, b) => a - b);
  const hasChanged = (): boolean => births().length >= 3 && new Set(samples.map((sample) => sample.signer)).size >= 2;

  beforeAll(async () => {
    core = await startCore({
      flags: ['--test-mode'],
      env: { ACCESS_TOKEN_VALIDITY: String(VALIDITY_MS / 1000), ACCESS_TOKEN_DYNAMIC_SIGNING_KEY_UPDATE_INTERVAL: '0.001' },
    });
    const client = cdiClient(core.url);
    const begun = Date.now();
    while (Date.now() < begun + WATCH_MS || (!hasChanged() && Date.now() < begun + LONGEST_WATCH_MS)) {
      const before = Date.now();
      const { access } = await create(client, 'watched');
      const jwks = await client.get<Jwks>('/.well-known/jwks.json');
      const after = Date.now();
      const maxAge = Number(/^max-age=(\d+), must-revalidate$/.exec(jwks.headers.get('cache-control') ?? '')?.[1]);
      const signer = birthOf(decode(access).header.kid);
      samples.push({ before, after, published: dynamicKeys(jwks.body), signer, maxAge });
      const answer = await verify(client, access);
      fates.push({ access, signer, verifiedAt: Date.now(), answer });
      await new Promise((done) => setTimeout(done, 60));
    }
  }, LONGEST_WATCH_MS + 60_000);

  afterAll(async () => {
    await core?.stop();
  });

  test('keys come and go while we look', () => {
    expect(hasChanged()).toBe(true);
  });

  test('a token is signed by a published key', () => {
    for (const sample of samples) expect(sample.published, JSON.stringify(sample)).toContain(sample.signer);
  });

  test('published keys are sorted, newest first', () => {
    for (const sample of samples) expect(sample.published).toEqual(sample.published.toSorted((a, b) => b - a));
  });

  test('a key signs only after it was published for a while, unless the one before it is too old', () => {
    for (const sample of samples) {
      const older = births()
        .filter((birth) => birth < sample.signer)
        .at(-1);
      if (older === undefined) continue;
      expect(sample.after).toBeGreaterThanOrEqual(Math.min(sample.signer + OVERLAP_MS, older + INTERVAL_MS));
    }
  });

  test('a key is published for as long as its tokens may live, and no longer', () => {
    // Whatever thread showed a key first, it has been committed, and from then on every thread shows it.
    const seen = new Set<number>();
    for (const sample of samples) {
      const due = [...seen].filter((birth) => birth + VERIFIES_MS > sample.after);
      for (const birth of due) expect(sample.published, JSON.stringify(sample)).toContain(birth);
      for (const birth of sample.published) expect(birth + VERIFIES_MS).toBeGreaterThanOrEqual(sample.before);
      for (const birth of sample.published) seen.add(birth);
    }
  });

  test('no key signs beyond its interval', () => {
    for (const sample of samples) expect(sample.signer + INTERVAL_MS).toBeGreaterThanOrEqual(sample.before - OVERLAP_MS);
  });

  test('caches are told to come back before the next key signs', () => {
    for (const sample of samples) {
      const newest = Math.max(...sample.published);
      const left = Math.trunc((newest + INTERVAL_MS - OVERLAP_MS - sample.before) / 1000);
      expect(sample.maxAge).toBeLessThanOrEqual(Math.max(1, left));
    }
  });

  test('every token verified while it lived', () => {
    const alive = fates.filter((fate) => fate.verifiedAt < decode(fate.access).claims.exp * 1000);
    expect(alive.length).toBeGreaterThan(0);
    expect(alive.filter((fate) => fate.answer?.status !== 'OK')).toEqual([]);
  });

  test('and is refused by name once it has expired', async () => {
    const client = cdiClient(core.url);
    expect(await verify(client, String(fates[0]?.access))).toMatchObject({ status: 'TRY_REFRESH_TOKEN' });
    for (let isSure = false; !isSure; ) {
      const { access } = await create(client, 'watched');
      const { header, claims } = decode(access);
      await new Promise((done) => setTimeout(done, claims.exp * 1000 - Date.now() + 50));
      const answer = await verify(client, access);
      // The reason is told while the key is known; had it been forgotten by now, another token would have to show it.
      isSure = Date.now() <= birthOf(header.kid) + VERIFIES_MS;
      if (isSure) expect(answer).toEqual({ status: 'TRY_REFRESH_TOKEN', message: 'Access token expired' });
    }
  });

  test('the log says that the test mode is on', () => {
    expect(core.output()).toMatch(/test.mode/i);
  });
});
