import type { Route } from '../route.ts';
import { route } from '../route.ts';
import { createJwt } from './create-jwt.ts';

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/jwt',
    scope: 'app',
    input: 'jwt/create-jwt',
    summary: 'Sign a JWT with a key of the app',
    silence: 'secrets',
    run: createJwt,
    view: (json) => ({ json }),
  }),
];
