import type { AddedWebhook } from '../recipes/webhooks/add-webhook.ts';
import type { DeadLetters, Deliveries, ShownMessage } from '../recipes/webhooks/list-deliveries.ts';
import type { TestDelivery } from '../recipes/webhooks/send-test.ts';
import type { ShownWebhook } from '../recipes/webhooks/show-webhook.ts';
import { UsageError } from '../transfer/command-line.ts';
import { asking, type Outcome, ok } from './answers.ts';
import { type Bound, CommandFault, EXIT } from './command.ts';
import { facts, table, time } from './table.ts';
import { readSecret } from './terminal.ts';

const PATH = '/manage/v1/webhooks';
const HOUR_MS = 3_600_000;

const UNKNOWN = { UNKNOWN_WEBHOOK_ERROR: 'There is no such webhook', UNKNOWN_DEAD_LETTER_ERROR: 'There is no such dead letter' };

const KIND = { value: 'KIND', many: true, doc: 'a kind of events, as user.created, user.* or *; several times for several' } as const;
const SECRET_FILE = { value: 'FILE', doc: 'file with a secret of your own (whsec_…), - for standard input; else one is made' } as const;

/** A flag would show it to everybody who lists processes. */
const secretIn = (file: string | undefined): { readonly secret?: string } =>
  file === undefined ? {} : { secret: readSecret('secret-file', file) };

function stateOf({ isEnabled, disabledBecause, restsUntil, failingSince }: ShownWebhook): string {
  if (!isEnabled) return disabledBecause === null ? 'disabled' : `disabled: ${disabledBecause}`;
  if (restsUntil !== null) return `away, next look ${time(restsUntil)}`;
  return failingSince === null ? 'enabled' : `failing since ${time(failingSince)}`;
}

const factsOf = (webhook: ShownWebhook): string =>
  facts([
    ['id', webhook.id],
    ['url', webhook.url],
    ['kinds', webhook.kinds.join(' ')],
    ['tenant', webhook.tenantId],
    ['description', webhook.description],
    ['state', stateOf(webhook)],
    ['position', webhook.position],
  ]);

const messageTable = (messages: readonly ShownMessage[]): string =>
  table(
    ['sequence', 'kind', 'user', 'happened', 'attempts', 'last attempt', 'fault'],
    messages.map((one) => [one.sequence, one.kind, one.userId, time(one.at), one.attempts, time(one.lastTriedAt), one.fault]),
  );

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new UsageError(`--${name} must be a whole number`);
  return value;
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new UsageError('--since must be a time as 2026-03-01T12:00:00Z');
  return at;
}

/** Switches a webhook. */
const switching = (name: 'enable' | 'disable', about: string): Bound =>
  asking({
    name,
    operands: ['<WEBHOOK>'],
    about,
    examples: [`webhook ${name} wh_5c1b…`],
    ask: async (core, [id]) =>
      ok(
        await core.call<Outcome & { webhook: ShownWebhook }>('POST', `${PATH}/update`, { body: { id, isEnabled: name === 'enable' } }),
        UNKNOWN,
      ),
    text: ({ webhook }) => factsOf(webhook),
  });

/** `watchword webhook`. */
export const commands: readonly Bound[] = [
  asking({
    name: 'list',
    about: 'Lists the webhooks of an app and how far each has come, without their secrets.',
    examples: ['webhook list'],
    ask: (core) => core.call<{ webhooks: readonly ShownWebhook[] }>('GET', PATH),
    text: ({ webhooks }) =>
      table(
        ['webhook', 'url', 'kinds', 'tenant', 'state', 'waiting', 'dead', 'last delivery'],
        webhooks.map((one) => [
          one.id,
          one.url,
          one.kinds.join(' '),
          one.tenantId,
          stateOf(one),
          one.queued,
          one.deadLetters,
          time(one.lastDeliveredAt),
        ]),
      ),
  }),
  asking({
    name: 'add',
    operands: ['<URL>'],
    about: 'Has events sent to a URL from now on, and prints the secret that signs them, this once.',
    examples: ['webhook add https://example.com/hook --kind user.* --kind session.theft'],
    flags: {
      kind: KIND,
      tenant: { value: 'ID', doc: 'only events of this tenant (of the whole app)' },
      description: { value: 'TEXT', doc: 'what it is for' },
      'secret-file': SECRET_FILE,
    },
    ask: (core, [url], { kind, tenant, description, 'secret-file': file }) => {
      if (kind.length === 0) throw new UsageError('Say which events: --kind, for example user.* or *');
      const body = { url, kinds: kind, tenantId: tenant, description, ...secretIn(file) };
      return core.call<AddedWebhook>('POST', PATH, { body });
    },
    text: ({ webhook, secret }) => `${factsOf(webhook)}secret       ${secret}\n`,
  }),
  asking({
    name: 'update',
    operands: ['<WEBHOOK>'],
    about: 'Changes what is given of a webhook.',
    examples: ['webhook update wh_5c1b… --target https://example.com/new --kind user.*'],
    flags: { target: { value: 'URL', doc: 'where events are sent' }, kind: KIND, description: { value: 'TEXT', doc: 'what it is for' } },
    ask: async (core, [id], { target: url, kind, description }) => {
      const body = { id, url, description, ...(kind.length > 0 && { kinds: kind }) };
      return ok(await core.call<Outcome & { webhook: ShownWebhook }>('POST', `${PATH}/update`, { body }), UNKNOWN);
    },
    text: ({ webhook }) => factsOf(webhook),
  }),
  switching('enable', 'Sends to a webhook again, from where it was disabled.'),
  switching('disable', 'Sends nothing to a webhook until it is enabled; the audit trail keeps what it misses.'),
  asking({
    name: 'remove',
    operands: ['<WEBHOOK>'],
    about: 'Removes a webhook with all that waits for it.',
    examples: ['webhook remove wh_5c1b… --yes'],
    warning: () => 'What waits for it is never delivered.',
    ask: async (core, [id]) => {
      const answer = await core.call<{ didExist: boolean }>('POST', `${PATH}/remove`, { body: { id } });
      if (!answer.didExist) throw new CommandFault('There is no such webhook', EXIT.notFound);
      return answer;
    },
    text: () => 'The webhook is removed.\n',
  }),
  asking({
    name: 'rotate',
    operands: ['<WEBHOOK>'],
    about: 'Gives a webhook a new secret and prints it, this once. For a while the old one signs too.',
    examples: ['webhook rotate wh_5c1b…', 'webhook rotate wh_5c1b… --hours 0'],
    flags: { hours: { value: 'N', doc: 'how long the old secret signs too (24)' }, 'secret-file': SECRET_FILE },
    ask: async (core, [id], { hours, 'secret-file': file }) => {
      const overlapMs = numberOf('hours', hours);
      const body = { id, ...secretIn(file), ...(overlapMs !== undefined && { overlapMs: overlapMs * HOUR_MS }) };
      return ok(await core.call<Outcome & { secret: string }>('POST', `${PATH}/rotate-secret`, { body }), UNKNOWN);
    },
    text: ({ secret }) => `${secret}\n`,
  }),
  asking({
    name: 'deliveries',
    operands: ['<WEBHOOK>'],
    about: 'Shows the last attempts of a webhook, and what waits for it.',
    examples: ['webhook deliveries wh_5c1b…'],
    ask: async (core, [id]) => ok(await core.call<Deliveries>('GET', `${PATH}/deliveries`, { query: { id } }), UNKNOWN),
    text: ({ attempts, waiting }) => {
      const rows = attempts.map((one) => [time(one.at), one.sequence, one.kind, one.status, one.ms, one.fault]);
      return `${table(['attempt', 'sequence', 'kind', 'status', 'ms', 'fault'], rows)}\nWaiting:\n${messageTable(waiting)}`;
    },
  }),
  asking({
    name: 'dead-letters',
    operands: ['<WEBHOOK>'],
    about: 'Lists the messages of a webhook that were given up, the oldest first.',
    examples: ['webhook dead-letters wh_5c1b…'],
    flags: { page: { value: 'TOKEN', doc: 'where the page before this one ended' } },
    ask: async (core, [id], { page }) =>
      ok(await core.call<DeadLetters>('GET', `${PATH}/dead-letters`, { query: { id, paginationToken: page } }), UNKNOWN),
    text: ({ deadLetters, nextPaginationToken: next }) =>
      `${messageTable(deadLetters)}${next === undefined ? '' : `There are more: --page ${next}\n`}`,
  }),
  asking({
    name: 'replay',
    operands: ['<WEBHOOK>'],
    about: 'Sends dead letters again, or all events from a place or a time of the audit trail on.',
    examples: ['webhook replay wh_5c1b… --dead-letters', 'webhook replay wh_5c1b… --since 2026-03-01T12:00:00Z'],
    flags: {
      'dead-letters': { doc: 'all dead letters' },
      sequence: { value: 'N', doc: 'the dead letter of this sequence number' },
      position: { value: 'N', doc: 'all events from this sequence number on' },
      since: { value: 'TIME', doc: 'all events from this time on, as 2026-03-01T12:00:00Z' },
    },
    ask: async (core, [id], flags) => {
      const given = {
        sequence: numberOf('sequence', flags.sequence),
        position: numberOf('position', flags.position),
        since: timeOf(flags.since),
      };
      const body = { id, ...given, ...(flags['dead-letters'] && { deadLetters: true }) };
      return ok(await core.call<Outcome & { deadLetters?: number; position?: number }>('POST', `${PATH}/replay`, { body }), UNKNOWN);
    },
    text: ({ deadLetters, position }) =>
      position === undefined ? `${deadLetters} dead letters are sent again.\n` : `Events are sent again from ${position} on.\n`,
  }),
  asking({
    name: 'test',
    operands: ['<WEBHOOK>'],
    about: 'Posts a test event to a webhook now, and tells what came of it.',
    examples: ['webhook test wh_5c1b…'],
    ask: async (core, [id]) => {
      const answer = ok(await core.call<TestDelivery>('POST', `${PATH}/test`, { body: { id } }), UNKNOWN);
      if (!answer.isDelivered) throw new CommandFault(`Not delivered: ${answer.fault}`);
      return answer;
    },
    text: ({ answered }) => `Delivered: answered ${answered}.\n`,
  }),
];
