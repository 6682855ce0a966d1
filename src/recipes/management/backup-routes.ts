import type { ScheduledBackups } from '../backups.ts';
import { type Route, route } from '../route.ts';
import { backUp } from './back-up.ts';

const scheduleView = ({ files, lastAttempt, ...schedule }: ScheduledBackups) => ({
  ...schedule,
  lastAttempt: lastAttempt && { ...lastAttempt },
  files: files.map((file) => ({ ...file })),
});

/** Backups of the whole store. */
export const BACKUP_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/backups',
    scope: 'base',
    needs: 'read',
    input: undefined,
    response: 'management/backups-state',
    summary: 'Backups on the schedule: when, which files, and how the last attempt ended',
    run: ({ backups }) => backups.backupsState(),
    view: ({ schedule, ...state }) => ({
      json: { status: 'OK', ...state, schedule: schedule && scheduleView(schedule) },
    }),
  }),
  route({
    method: 'GET',
    path: '/manage/v1/backup',
    scope: 'app',
    needs: 'all',
    input: undefined,
    response: 'management/backup',
    summary: 'A backup of the whole store as it is at one moment, for `watchword restore`; it is sent while it is made',
    silence: 'secrets',
    run: backUp,
    view: (bytes) => ({ bytes, contentType: 'application/octet-stream' }),
  }),
];
