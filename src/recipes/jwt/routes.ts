import type { Route } from '../route.ts';
import { route } from '../route.ts';
import { createJwt } from './create-jwt.ts';

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/jwt',
    scope: 'app',
    since: '2.9',
    input: 'jwt/create-jwt',
    response: 'jwt/create-jwt',
    summary: 'Sign a JWT with a key of the app',
    run: createJwt,
    view: (json) => ({ json }),
  }),
];
