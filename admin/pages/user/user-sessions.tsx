import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { Section } from '../../ui/states.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { usePages } from '../../ui/use-pages.ts';
import type { components } from '../../generated/api.ts';
import type { UserPart } from './user-answer.ts';

type Session = components['schemas']['ManagementSessionSummary'];

const T = TEXTS.user;
const LIMIT = 20;

/** The sessions of a user under all ids and in all tenants. */
export function UserSessions({ shown, reload }: UserPart): JSX.Element {
  const userId = shown.user.id;
  const pages = usePages(
    async (paginationToken, signal) => {
      const query = { userId, limit: LIMIT, ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(core().GET('/manage/v1/user/sessions', { params: { query }, signal }));
      return { rows: answer.sessions, next: answer.nextPaginationToken };
    },
    [userId, shown.sessionCount],
  );
  const end = async (handle: string): Promise<void> => {
    if (!(await confirmed({ title: T.endOne, text: T.endOneText, action: T.endOne }))) return;
    await attempt(() => ok(core().POST('/manage/v1/session/revoke', { body: { sessionHandles: [handle] } })), T.ended);
    reload();
    pages.reload();
  };
  const columns = [
    { head: T.begun, cell: ({ timeCreated }: Session) => <Time ms={timeCreated} /> },
    { head: T.ends, cell: ({ expiry }: Session) => <Time ms={expiry} /> },
    { head: T.rotated, cell: ({ lastRotation }: Session) => <Time ms={lastRotation} /> },
    { head: T.tenants, cell: ({ tenantId }: Session) => tenantId },
    { head: T.handle, cell: ({ sessionHandle }: Session) => <code>{sessionHandle}</code> },
    ...(can('users')
      ? [
          {
            head: TEXTS.actions,
            cell: ({ sessionHandle }: Session) => (
              <Button of={sessionHandle} onPress={() => end(sessionHandle)}>
                {TEXTS.end}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section title={T.sessions(shown.sessionCount)}>
      <PagedTable
        caption={T.sessions(shown.sessionCount)}
        columns={columns}
        pages={pages}
        keyOf={({ sessionHandle }) => sessionHandle}
        empty={T.noSessions}
      />
    </Section>
  );
}
