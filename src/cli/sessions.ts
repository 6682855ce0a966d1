import type { SessionSummary } from '../recipes/session/session-summaries.ts';
import { asking, type Outcome, ok } from './answers.ts';
import { type Bound, CommandFault, EXIT } from './command.ts';
import { facts, table, time } from './table.ts';

export function sessionsTable(sessions: readonly SessionSummary[]): string {
  return table(
    ['session', 'login method', 'tenant', 'created', 'last rotation', 'expires'],
    sessions.map((one) => [
      one.sessionHandle,
      one.recipeUserId,
      one.tenantId,
      time(one.timeCreated),
      time(one.lastRotation),
      time(one.expiry),
    ]),
  );
}

/** `watchword session`. */
export const commands: readonly Bound[] = [
  asking({
    name: 'show',
    operands: ['<SESSION>'],
    about: 'Shows a session.',
    examples: ['session show 5c1b…'],
    ask: async (core, [sessionHandle]) => {
      const answer = await core.call<Outcome & { session: SessionSummary & { userId: string } }>('GET', '/manage/v1/session', {
        query: { sessionHandle },
      });
      return ok(answer, { UNKNOWN_SESSION_ERROR: 'There is no such session' }).session;
    },
    text: (one) =>
      facts([
        ['session', one.sessionHandle],
        ['user', one.userId],
        ['login method', one.recipeUserId],
        ['tenant', one.tenantId],
        ['created', time(one.timeCreated)],
        ['last rotation', time(one.lastRotation)],
        ['expires', time(one.expiry)],
      ]),
  }),
  asking({
    name: 'revoke',
    operands: ['<SESSION...>'],
    about: 'Ends sessions. Access tokens that a back end verifies by itself live until they expire.',
    examples: ['session revoke 5c1b… --yes'],
    warning: (sessions) => `${sessions.length === 1 ? 'The session ends' : `${sessions.length} sessions end`}.`,
    ask: async (core, sessionHandles) => {
      const answer = await core.call<{ sessionHandlesRevoked: readonly string[] }>('POST', '/manage/v1/session/revoke', {
        body: { sessionHandles },
      });
      if (answer.sessionHandlesRevoked.length === 0) throw new CommandFault('There is no such session', EXIT.notFound);
      return answer;
    },
    text: ({ sessionHandlesRevoked }) => sessionHandlesRevoked.map((handle) => `${handle} has ended.\n`).join(''),
  }),
];
