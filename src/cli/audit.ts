import { setTimeout as later } from 'node:timers/promises';
import type { SealedEvent } from '../recipes/audit/event.ts';
import type { Finding } from '../recipes/audit/verify-trail.ts';
import { type Given, UsageError, wholeNumber } from '../transfer/command-line.ts';
import { bind, CommandFault, EXIT } from './command.ts';
import { CORE_FLAGS, type Core, type CoreFlags, show, withCore } from './connection.ts';
import { harmless, harmlessJson, time } from './table.ts';
import type { Terminal } from './terminal.ts';

const PATH = '/manage/v1/audit';
const DEFAULT_LIMIT = 100;
const MOST = 1_000_000;
/** Events of one request. */
const PAGE = 500;
const FOLLOW_MS = 1_000;

const FLAGS = {
  ...CORE_FLAGS,
  follow: { doc: 'go on showing what happens, until interrupted' },
  user: { value: 'USER', doc: 'only what was changed of this user' },
  kind: { value: 'KIND', many: true, doc: 'only events of this kind, such as user.created; several times for several' },
  since: { value: 'TIME', doc: 'only from this time on: 2026-11-22, 2026-11-22T20:00:00Z, or 90m, 12h, 7d before now' },
  until: { value: 'TIME', doc: 'only before this time' },
  everywhere: { doc: 'of all apps, also removed ones' },
  limit: { value: 'N', doc: 'at most so many, the newest ones (100)' },
  verify: { doc: 'prove instead that no event was changed, removed or put elsewhere' },
  head: { value: 'NUMBER:HASH', doc: 'with --verify: a head that was kept elsewhere, through which the trail must go' },
} as const;

type AuditFlags = Given<typeof FLAGS> & CoreFlags;

interface Listed {
  readonly events: readonly SealedEvent[];
  readonly isMore: boolean;
  readonly nextPaginationToken?: string;
}

interface Verified {
  readonly status: string;
  readonly from: string;
  readonly to: string;
  readonly isWhole: boolean;
  readonly finding?: Finding;
  readonly unsealed: { readonly count: number; readonly since?: number };
  readonly through?: 'yes' | 'no' | 'trimmed';
}

/** `watchword audit`. */
export const AUDIT_COMMAND = bind(
  {
    name: 'audit',
    about: 'Shows who changed what and when, the newest last, or proves that nobody touched the record of it.',
    examples: ['audit --since 24h', 'audit --user 3f2c… --json', 'audit --follow --everywhere', 'audit --verify'],
    flags: FLAGS,
  },
  async ({ flags }, terminal) => {
    if (flags.head !== undefined && !flags.verify) throw new UsageError('--head goes with --verify');
    if (flags.verify && flags.follow) throw new UsageError('Say one of --verify and --follow');
    return withCore(flags, (core) => (flags.verify ? verify(core, flags, terminal) : list(core, flags, terminal)));
  },
);

async function list(core: Core, flags: AuditFlags, terminal: Terminal): Promise<number> {
  const most = wholeNumber('limit', flags.limit, DEFAULT_LIMIT, MOST);
  const query = queryOf(flags);
  const found: SealedEvent[] = [];
  for (let token: string | undefined, isMore = true; isMore && found.length < most; ) {
    const limit = Math.min(PAGE, most - found.length);
    const page: Listed = await core.call('GET', PATH, { query: { ...query, order: 'DESC', limit, paginationToken: token } });
    found.push(...page.events);
    token = page.nextPaginationToken;
    ({ isMore } = page);
  }
  const events = found.toReversed();
  if (flags.follow) return follow(core, flags, terminal, events);
  show(flags, terminal.print, events, () => events.map(lineOf).join(''));
  return EXIT.done;
}

/** Prints events one a line, and goes on with those that come, until it is interrupted. */
async function follow(core: Core, flags: AuditFlags, { print, signal }: Terminal, before: readonly SealedEvent[]): Promise<number> {
  const query = queryOf(flags);
  const printAll = (events: readonly SealedEvent[]): void =>
    print(events.map((event) => (flags.json ? `${harmlessJson(event, 0)}\n` : harmless(lineOf(event)))).join(''));
  printAll(before);
  let token = String(before.at(-1)?.sequence ?? 0);
  while (!signal.aborted) {
    const page: Listed = await core.call('GET', PATH, { query: { ...query, order: 'ASC', limit: PAGE, paginationToken: token } });
    printAll(page.events);
    token = page.nextPaginationToken ?? token;
    if (!page.isMore) await later(FOLLOW_MS, undefined, { signal }).catch(() => {});
  }
  return EXIT.done;
}

function queryOf(flags: AuditFlags): Readonly<Record<string, string | number | undefined>> {
  return {
    userId: flags.user,
    kind: flags.kind.length === 0 ? undefined : flags.kind.join(','),
    tenantId: flags['tenant-id'],
    since: timeOf('since', flags.since),
    until: timeOf('until', flags.until),
    everywhere: flags.everywhere ? 'true' : undefined,
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** ms since the epoch. @throws UsageError */
function timeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS[unit] ?? 0);
  if (Number.isNaN(at)) throw new UsageError(`--${flag} must be a time such as 2026-11-22T20:00:00Z, or 12h or 7d before now`);
  return Math.max(0, at);
}

function lineOf({ sequence, at, kind, actor, via, connectionUriDomain, appId, tenantId, userId, requestId, details }: SealedEvent): string {
  const who = 'name' in actor ? `${actor.type} ${actor.name}` : actor.type;
  const facts: readonly (readonly [name: string, value: unknown])[] = [
    ['user', userId],
    ['domain', connectionUriDomain === '' ? undefined : connectionUriDomain],
    ['app', appId === 'public' ? undefined : appId],
    ['tenant', tenantId],
    ...Object.entries(details ?? {}),
    ['via', via],
    ['request', requestId],
  ];
  const told = facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}=${String(value)}`]));
  return `${time(at)}  #${sequence}  ${kind}  by ${who}  ${told.join(' ')}\n`;
}

/** Piece after piece, so that no request takes long. */
async function verify(core: Core, flags: AuditFlags, { print }: Terminal): Promise<number> {
  const ask = (from: string | undefined): Promise<Verified> => core.call('GET', `${PATH}/verify`, { query: { from, through: flags.head } });
  let piece = await ask(undefined);
  const { from } = piece;
  while (!piece.isWhole) piece = await ask(piece.to);
  const { finding, through } = piece;
  if (finding) throw new CommandFault(`${textOfFinding(finding)} Everything up to ${piece.to} is as it was sealed.`);
  if (through === 'no') throw new CommandFault(`The trail does not go through ${flags.head}: it was written anew, or is of another store.`);
  show(flags, print, { ...piece, from }, () => textOf({ ...piece, from }));
  return EXIT.done;
}

const numberIn = (place: string): number => Number(place.split(':')[0]);

function textOf({ from, to, unsealed: { count, since }, through }: Verified): string {
  const [first, last] = [numberIn(from) + 1, numberIn(to)];
  const lines = [
    last < first ? 'Nothing is sealed yet.' : `Events ${first} to ${last} are as they were sealed.`,
    ...(numberIn(from) > 0 ? [`Older ones were removed by audit_retention; their end was ${from}.`] : []),
    ...(through === 'yes' ? ['The trail goes through the given head.'] : []),
    ...(through === 'trimmed' ? ['The given head is older than what is left of the trail, so it proves nothing.'] : []),
    `Not sealed yet: ${count}${since === undefined ? '' : `, since ${time(since)}`}.`,
    `Head, to be kept elsewhere: ${to}`,
  ];
  return `${lines.join('\n')}\n`;
}

const FINDINGS: Readonly<Record<Finding['fault'], string>> = {
  missing: 'are missing.',
  changed: 'are not what was sealed: at least one of them was changed, removed or put elsewhere.',
  unreadable: 'cannot be read: their bytes are damaged.',
  end: 'do not fit the end of the trail: some were removed or added there.',
  anchor: 'were removed, and not by audit_retention.',
};

const textOfFinding = ({ fault, first, last }: Finding): string => `The events ${first} to ${last} ${FINDINGS[fault]}`;
