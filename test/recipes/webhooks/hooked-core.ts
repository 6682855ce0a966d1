import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { KEY, type Places, withPlaces } from '../../cli/places.ts';
import { newAuthority, openReceiver, type Received, type Receiver } from './receiver.ts';

/** What comes soon; a machine under load may take as long as this. */
export const SOON = { timeout: 20_000, interval: 20 };

type Json = Readonly<Record<string, unknown>>;

/** A running core and a receiver whose certificate it trusts. */
export interface HookedCore {
  readonly places: Places;
  /** What it received, and what it answers, begins anew with each test. */
  receiver(): Receiver;
  /** The body of an answer, which must be one with status 200. */
  ask(method: string, path: string, body?: object): Promise<Json>;
  /** Answers the id of the new user. */
  signUp(email: string): Promise<string>;
  /** A webhook made by the command line, that leads to the receiver. */
  add(kinds: readonly string[], ...more: readonly string[]): Promise<{ readonly id: string; readonly secret: string }>;
  remove(id: string): Promise<unknown>;
}

/** The headers of a message, as libraries take them. */
export const headersOf = ({ headers }: Received): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Starts both for the tests of a file. */
export function withHookedCore(): HookedCore {
  const authority = newAuthority();
  const places = withPlaces({ NODE_EXTRA_CA_CERTS: authority.cert, WEBHOOK_ALLOW_PRIVATE: 'true' });
  let opened: Receiver | undefined;
  const receiver = (): Receiver => {
    if (!opened) throw new Error('the receiver is not open yet');
    return opened;
  };
  beforeAll(async () => {
    opened = await openReceiver(authority);
  });
  afterAll(() => {
    opened?.close();
    authority.remove();
  });
  afterEach(() => {
    receiver().received.length = 0;
    receiver().answer = (response) => response.writeHead(204).end();
  });
  const ask: HookedCore['ask'] = async (method, path, body) => {
    const headers = { 'api-key': KEY, 'cdi-version': '5.3', 'content-type': 'application/json' };
    const response = await fetch(`${places.core().url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    expect(`${response.status} ${text}`).toMatch(/^200 /);
    return JSON.parse(text);
  };
  return {
    places,
    receiver,
    ask,
    signUp: async (email) => {
      const { user } = await ask('POST', '/recipe/signup', { email, password: 'a good password 1' });
      return (user as { id: string }).id;
    },
    add: async (kinds, ...more) => {
      const words = ['webhook', 'add', receiver().url, ...kinds.flatMap((kind) => ['--kind', kind]), ...more];
      const { code, stdout, stderr } = await places.onCore(words);
      expect(`${code} ${stderr}`).toBe('0 ');
      return { id: /^id +(\S+)$/m.exec(stdout)?.[1] ?? '', secret: /^secret +(\S+)$/m.exec(stdout)?.[1] ?? '' };
    },
    remove: (id) => places.onCore(['webhook', 'remove', id, '--yes']),
  };
}
