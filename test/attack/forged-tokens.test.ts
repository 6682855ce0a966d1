import { createHmac, createPrivateKey, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import type { RunningCore } from '../running-core.ts';
import { create, decode, type Grant, type SessionAnswer, tryRefresh, verify } from '../recipes/session/session-calls.ts';
import { withCore } from '../with-core.ts';

/** Tokens that were never issued. None may verify, none may crash anything, and the answer never tells more than that it did not fit. */
const encode = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

interface Jwk {
  readonly kid: string;
  readonly kty: string;
  readonly n: string;
  readonly e: string;
}

describe('forged access tokens', () => {
  let core: RunningCore;
  let client: CdiClient;
  let grant: Grant;
  let jwk: Jwk;
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });

  withCore({}, async (started) => {
    core = started;
    client = cdiClient(core.url);
    grant = await create(client, 'victim', { userDataInJWT: { role: 'reader' } });
    const keys = await client.get<{ readonly keys: readonly Jwk[] }>('/.well-known/jwks.json');
    const { kid } = decode(grant.access).header;
    const found = keys.body.keys.find((key) => key.kid === kid);
    if (!found) throw new Error('the key of the token is not published');
    jwk = found;
  });

  const signedBy = (header: unknown, claims: unknown, key = own.privateKey, digest = 'RSA-SHA256'): string => {
    const input = `${encode(header)}.${encode(claims)}`;
    return `${input}.${createSign(digest)
      .update(input)
      .sign(createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })), 'base64url')}`;
  };
  const hmac = (header: unknown, claims: unknown, secret: string | Buffer): string => {
    const input = `${encode(header)}.${encode(claims)}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  const publicPem = (): string =>
    createPublicKey({ key: { ...jwk }, format: 'jwk' })
      .export({ type: 'spki', format: 'pem' })
      .toString();
  const publicDer = (): Buffer => createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({ type: 'spki', format: 'der' });

  /** By name, a token made from a genuine one: header, claims and the three parts as sent. */
  const FORGERIES: Readonly<
    Record<string, (header: Record<string, unknown>, claims: Record<string, unknown>, parts: readonly string[]) => string>
  > = {
    'alg none': (header, claims) => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`,
    'alg none with the old signature': (header, claims, parts) => `${encode({ ...header, alg: 'none' })}.${encode(claims)}.${parts[2]}`,
    'alg nOnE': (header, claims) => `${encode({ ...header, alg: 'nOnE' })}.${encode(claims)}.`,
    'no signature': (_header, _claims, parts) => `${parts[0]}.${parts[1]}.`,
    'two parts': (_header, _claims, parts) => `${parts[0]}.${parts[1]}`,
    'HMAC keyed with the public PEM': (header, claims) => hmac({ ...header, alg: 'HS256' }, claims, publicPem()),
    'HMAC keyed with the public DER': (header, claims) => hmac({ ...header, alg: 'HS256' }, claims, publicDer()),
    'HMAC keyed with the modulus': (header, claims) => hmac({ ...header, alg: 'HS256' }, claims, jwk.n),
    'HMAC under the name RS256': (header, claims) => hmac(header, claims, publicPem()),
    'HMAC keyed with nothing': (header, claims) => hmac({ ...header, alg: 'HS256' }, claims, ''),
    'another key under the right kid': (header, claims) => signedBy(header, claims),
    'an unknown kid': (header, claims) => signedBy({ ...header, kid: 'd-1' }, claims),
    'a kid that climbs': (header, claims) => signedBy({ ...header, kid: '../../../../dev/null' }, claims),
    'a kid with quotes': (header, claims) => signedBy({ ...header, kid: "' OR 1=1 --" }, claims),
    'a kid of prototypes': (header, claims) => signedBy({ ...header, kid: '__proto__' }, claims),
    'a kid of 100,000 letters': (header, claims) => signedBy({ ...header, kid: 'd-'.repeat(50_000) }, claims),
    'a kid that is an object': (header, claims) => signedBy({ ...header, kid: { d: 1 } }, claims),
    'no version': ({ version: _version, ...header }, claims) => signedBy(header, claims),
    'a header of a million numbers': (header, claims) => signedBy({ ...header, n: Array.from({ length: 1_000_000 }, () => 1) }, claims),
    'a dot at its end': (_header, _claims, parts) => `${parts.join('.')}.`,
    'no kid': ({ kid: _kid, ...header }, claims) => signedBy(header, claims),
    'a key of its own in the header': (header, claims) =>
      signedBy({ ...header, jwk: own.publicKey.export({ format: 'jwk' }), jku: 'http://127.0.0.1:1/keys' }, claims),
    'SHA-512 under the name RS512': (header, claims) => signedBy({ ...header, alg: 'RS512' }, claims, own.privateKey, 'RSA-SHA512'),
    'other claims, old signature': (_header, claims, parts) => `${parts[0]}.${encode({ ...claims, role: 'admin' })}.${parts[2]}`,
    'a longer life, old signature': (_header, claims, parts) => `${parts[0]}.${encode({ ...claims, exp: 9_999_999_999 })}.${parts[2]}`,
    'duplicate members, old signature': (_header, claims, parts) =>
      `${parts[0]}.${encode(`${JSON.stringify(claims).slice(0, -1)},"sub":"somebody-else"}`)}.${parts[2]}`,
    'duplicate header members': (header, claims, parts) =>
      `${encode(`{"alg":"none",${JSON.stringify(header).slice(1)}`)}.${encode(claims)}.${parts[2]}`,
    'another version': (header, claims, parts) => `${encode({ ...header, version: '3' })}.${encode(claims)}.${parts[2]}`,
    'an old header around new claims': (_header, claims, parts) =>
      `eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsInZlcnNpb24iOiIyIn0=.${encode(claims)}.${parts[2]}`,
    'the signature cut': (_header, _claims, parts) => parts.join('.').slice(0, -20),
    'the signature of zeros': (_header, _claims, parts) => `${parts[0]}.${parts[1]}.${'A'.repeat(342)}`,
    'a huge signature': (_header, _claims, parts) => `${parts[0]}.${parts[1]}.${'A'.repeat(1_000_000)}`,
    'the signature doubled': (_header, _claims, parts) => `${parts.join('.')}${parts[2]}`,
    'a fourth part': (_header, _claims, parts) => `${parts.join('.')}.${parts[2]}`,
    'the letters turned': (_header, _claims, parts) =>
      parts.join('.').replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())),
    'claims that are no object': (header) => `${encode(header)}.${encode('[]')}.AAAA`,
    'a header that is no JSON': (_header, claims, parts) => `${encode('{')}.${encode(claims)}.${parts[2]}`,
    'a header 100,000 deep': (_header, claims, parts) => `${encode('['.repeat(100_000))}.${encode(claims)}.${parts[2]}`,
    'only dots': () => '..',
    'a million dots': () => '.'.repeat(1_000_000),
    nothing: () => '',
  };

  test.each(Object.keys(FORGERIES))('%s', async (name) => {
    const forge = FORGERIES[name];
    const { header, claims } = decode(grant.access);
    const token = forge?.({ ...header }, { ...claims }, grant.access.split('.')) ?? '';
    expect(token).not.toBe(grant.access);
    for (const cdi of ['5.4', '5.6', '2.18']) {
      for (const checkDatabase of [false, true]) {
        const answer = await verify(client, token, { checkDatabase }, { cdi });
        expect(answer.status, JSON.stringify(answer)).toBe('TRY_REFRESH_TOKEN');
        expect(answer).not.toHaveProperty('session');
      }
    }
  });

  test('the genuine token is still good afterwards, also twice', async () => {
    expect((await verify(client, grant.access)).status).toBe('OK');
    expect((await verify(client, grant.access, { checkDatabase: true })).status).toBe('OK');
  });

  test('a token of another app is foreign, whatever its kid', async () => {
    await client.put('/recipe/multitenancy/app/v2', { appId: 'other' });
    const foreign = await create(cdiClient(core.url, { app: 'other' }), 'victim');
    expect(await verify(client, foreign.access)).toEqual({ status: 'TRY_REFRESH_TOKEN', message: 'Key not found' });
  });

  test('a token for other purposes is no session', async () => {
    const signed = await client.post<{ readonly jwt: string }>('/recipe/jwt', {
      algorithm: 'RS256',
      jwksDomain: 'https://example.com',
      payload: { sub: 'victim' },
      validity: 1000,
    });
    expect((await verify(client, signed.body.jwt)).status).toBe('TRY_REFRESH_TOKEN');
  });

  test('claims of the core cannot be chosen by the caller', async () => {
    for (const claim of ['sub', 'exp', 'sessionHandle', 'rsub', 'tId', 'refreshTokenHash1']) {
      const reply = await client.post<SessionAnswer>('/recipe/session/regenerate', {
        accessToken: grant.access,
        userDataInJWT: { [claim]: 'x' },
      });
      expect(reply.status, claim).toBe(400);
    }
  });

  const REFRESH_FORGERIES: Readonly<Record<string, (genuine: string) => string>> = {
    nothing: () => '',
    'only the version': () => '.V2',
    'another version': (genuine) => genuine.replace(/V2$/, 'V3'),
    'a lower version': (genuine) => genuine.replace(/V2$/, 'V0'),
    'another nonce': (genuine) => genuine.replace(/\.[0-9a-f]/, (start) => (start === '.0' ? '.1' : '.0')),
    'one bit turned': (genuine) => `${genuine[0] === 'A' ? 'B' : 'A'}${genuine.slice(1)}`,
    'a short ciphertext': (genuine) => `AAAA.${genuine.split('.')[1]}.V2`,
    'no base64': (genuine) => `*${genuine}`,
    'a million letters': () => `${'A'.repeat(1_000_000)}.${'0'.repeat(64)}.V2`,
    'a million dots': () => '.'.repeat(1_000_000),
    'an access token': () => grant.access,
  };

  test.each(Object.keys(REFRESH_FORGERIES))('refresh token: %s', async (name) => {
    const other = await create(client, 'refresher');
    const token = REFRESH_FORGERIES[name]?.(other.refresh) ?? '';
    for (const cdi of ['5.4', '5.6', '2.18']) {
      const reply = await tryRefresh(client, token, {}, { cdi });
      expect(reply.status).toBe(200);
      // With another version text the token opens but is not the one that was given out: that is theft, never a new token.
      expect(['UNAUTHORISED', 'TOKEN_THEFT_DETECTED']).toContain(reply.body.status);
      expect(reply.body).not.toHaveProperty('accessToken');
    }
  });
});
