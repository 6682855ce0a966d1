import { beforeAll, describe, expect, test } from 'vitest';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { makeIdp } from '../saml-idp/idp.ts';
import { DOORS, type Door, GARBAGE } from './token-kinds/doors.ts';
import { API_KEY, Caller, type Holdings, holdingsOf, KINDS, type Kind } from './token-kinds/kinds.ts';

/**
 * Everything that the core hands out, presented wherever the core takes something of that sort. A token of the wrong kind, of another
 * tenant or of another app gets the answer that garbage gets; afterwards each still does what it was made for.
 */
const PLACES = { 'the same tenant': '', 'another tenant': '/t1', 'another app': '/appid-a1' } as const;
type Place = keyof typeof PLACES;

let core: InProcessCore;
let own: Caller;
let held: Readonly<Record<Place, Holdings>>;

/** Guesses are counted, and one token of each kind is a guess. */
const MANY = '10000';

beforeAll(async () => {
  const options = { API_KEYS: API_KEY, PASSWORDLESS_MAX_CODE_INPUT_ATTEMPTS: MANY, TOTP_MAX_ATTEMPTS: MANY };
  core = await openInProcessCore('5.4', options);
  own = new Caller(core);
  await own.must('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1', coreConfig: {} });
  await own.must('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1', coreConfig: {} });
  const idp = await makeIdp();
  const at = (place: Place): Promise<Holdings> => holdingsOf(new Caller(core, PLACES[place]), idp);
  held = {
    'the same tenant': await at('the same tenant'),
    'another tenant': await at('another tenant'),
    'another app': await at('another app'),
  };
}, 60_000);

function enter(door: Door, token: string): Promise<InProcessAnswer> {
  const { method, path, body, options } = door.present(token, held['the same tenant']);
  return own.call(method, path, body, options);
}

/** Those that are at home elsewhere are told by the token, not by the kind alone. */
const SAME_EVERYWHERE: readonly Kind[] = ['API key'];

function isTaken(door: Door, kind: Kind, place: Place): boolean {
  if (!door.takes.includes(kind)) return false;
  return place === 'the same tenant' || SAME_EVERYWHERE.includes(kind) || (door.ofApp && place === 'another tenant');
}

function doorOf(name: string): Door {
  const door = DOORS[name];
  if (!door) throw new Error(`no door ${name}`);
  return door;
}

describe.each(Object.keys(DOORS))('%s', (name) => {
  const door = doorOf(name);

  test('refuses garbage', async () => {
    for (const garbage of GARBAGE) {
      const answer = await enter(door, garbage);
      expect(door.isRefused(answer), `${garbage}: ${JSON.stringify(answer)}`).toBe(true);
    }
  });

  test.each(Object.keys(PLACES) as readonly Place[])('refuses other kinds, of %s', async (place) => {
    for (const kind of KINDS) {
      if (isTaken(door, kind, place)) continue;
      const answer = await enter(door, held[place].tokens[kind]);
      expect(door.isRefused(answer), `${kind}: ${JSON.stringify(answer)}`).toBe(true);
    }
  });
});

/** Last, since some are used up: none of the doors is simply shut, and no refusal used up a token. */
describe('afterwards', () => {
  /** What ends what others are shown with comes after them. */
  const LAST = ['anti-CSRF at refresh', 'refresh 5.6', 'link code', 'end of a session'];
  const names = [...Object.keys(DOORS).filter((name) => !LAST.includes(name) && !DOORS[name]?.isSilent), ...LAST];
  /** The other door for reset tokens needs a token of its own. */
  const USED_UP = ['use of a reset token'];

  test.each(names.filter((name) => !USED_UP.includes(name)))('%s takes its own', async (name) => {
    const door = doorOf(name);
    for (const kind of door.takes) {
      const answer = await enter(door, held['the same tenant'].tokens[kind]);
      expect(door.isRefused(answer), `${kind}: ${JSON.stringify(answer)}`).toBe(false);
    }
  });
});
