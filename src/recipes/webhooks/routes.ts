import { type Route, route } from '../route.ts';
import { addWebhook } from './add-webhook.ts';
import { listDeadLetters, listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { removeWebhook } from './remove-webhook.ts';
import { replay } from './replay.ts';
import { rotateSecret } from './rotate-secret.ts';
import { sendTest } from './send-test.ts';
import { updateWebhook } from './update-webhook.ts';

const PATH = '/manage/v1/webhooks';

/** Webhooks of an app: whoever may change them has its events sent anywhere, and so may whoever makes keys. */
export const ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    scope: 'app',
    needs: 'read',
    input: undefined,
    response: 'webhooks/list-webhooks',
    summary: 'The webhooks of an app and how far each has come, without their secrets',
    run: listWebhooks,
    view: (webhooks) => ({ json: { status: 'OK', webhooks: webhooks.map((webhook) => ({ ...webhook })) } }),
  }),
  route({
    method: 'POST',
    path: PATH,
    scope: 'app',
    needs: 'keys',
    input: 'webhooks/add-webhook',
    tells: ['webhook.created'],
    summary: 'Have events sent to a URL from now on; the secret is shown this once',
    run: addWebhook,
    view: ({ webhook, secret }) => ({ json: { status: 'OK', webhook: { ...webhook }, secret } }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/update`,
    scope: 'app',
    needs: 'keys',
    input: 'webhooks/update-webhook',
    tells: ['webhook.changed'],
    summary: 'Change a webhook, or switch it off and on',
    run: updateWebhook,
    view: (updated) => ({ json: updated.status === 'OK' ? { status: 'OK', webhook: { ...updated.webhook } } : { ...updated } }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/remove`,
    scope: 'app',
    needs: 'keys',
    input: 'webhooks/remove-webhook',
    tells: ['webhook.removed'],
    summary: 'Remove a webhook with all that waits for it',
    run: removeWebhook,
    view: (didExist) => ({ json: { status: 'OK', didExist } }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/rotate-secret`,
    scope: 'app',
    needs: 'keys',
    input: 'webhooks/rotate-secret',
    tells: ['webhook.secret-rotated'],
    summary: 'Give a webhook a new secret, shown this once; for a while the old one signs too',
    run: rotateSecret,
    view: (rotated) => ({ json: { ...rotated } }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/deliveries`,
    scope: 'app',
    needs: 'read',
    input: 'webhooks/list-deliveries',
    summary: 'The last attempts of a webhook, and the messages that wait for it',
    run: listDeliveries,
    view: (found) => ({
      json:
        found.status === 'OK'
          ? {
              status: 'OK',
              attempts: found.attempts.map((attempt) => ({ ...attempt })),
              waiting: found.waiting.map((message) => ({ ...message })),
            }
          : { ...found },
    }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/dead-letters`,
    scope: 'app',
    needs: 'read',
    input: 'webhooks/list-dead-letters',
    summary: 'The messages of a webhook that were given up, page by page',
    run: listDeadLetters,
    view: (found) => ({
      json: found.status === 'OK' ? { ...found, deadLetters: found.deadLetters.map((message) => ({ ...message })) } : { ...found },
    }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/replay`,
    scope: 'app',
    needs: 'keys',
    input: 'webhooks/replay',
    tells: ['webhook.replayed'],
    summary: 'Send dead letters again, or all events from a place or time of the trail on',
    run: replay,
    view: (replayed) => ({ json: { ...replayed } }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/test`,
    scope: 'app',
    needs: 'keys',
    input: 'webhooks/send-test',
    silence: 'reads',
    summary: 'Post a test event to a webhook now, and tell what came of it',
    run: sendTest,
    view: (sent) => ({ json: { ...sent } }),
  }),
];
