import { type Route, route } from '../route.ts';

/** How the process is that answers. */
export const OVERVIEW_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/overview',
    scope: 'base',
    needs: 'read',
    input: undefined,
    response: 'management/overview',
    summary: 'How the process is that answers: requests, lanes, store, backups, jobs, and what is wrong; at most a second old',
    run: ({ server }) => server.overview(),
    view: (overview) => ({ json: { status: 'OK', ...overview } }),
  }),
];
