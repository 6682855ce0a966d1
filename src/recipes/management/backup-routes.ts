import { type Route, route } from '../route.ts';
import { backUp } from './back-up.ts';

/** Backups of the whole store. */
export const BACKUP_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/backup',
    scope: 'app',
    needs: 'all',
    input: undefined,
    response: 'management/backup',
    summary: 'A backup of the whole store as it is at one moment, for `watchword restore`; it is sent while it is made',
    run: backUp,
    view: (bytes) => ({ bytes, contentType: 'application/octet-stream' }),
  }),
];
