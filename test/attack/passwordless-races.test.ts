import { describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { withCore } from '../with-core.ts';

const CODE = '/recipe/signinup/code';

interface Made {
  readonly preAuthSessionId: string;
  readonly deviceId: string;
  readonly userInputCode: string;
  readonly linkCode: string;
}

interface Consumed {
  readonly status: string;
  readonly recipeUserId?: string;
}

let client: CdiClient;
withCore({}, (core) => {
  client = cdiClient(core.url);
});

const make = async (given: object): Promise<Made> => (await client.post<Made>(CODE, given)).body;
const consume = ({ preAuthSessionId, deviceId, userInputCode, linkCode }: Made, byLink: boolean) =>
  client.post<Consumed>(`${CODE}/consume`, { preAuthSessionId, ...(byLink ? { linkCode } : { deviceId, userInputCode }) });

describe('passwordless races over several threads', () => {
  test('of twenty calls with one code one signs in', async () => {
    for (let round = 0; round < 5; round += 1) {
      const made = await make({ email: `one-${round % 2}@example.com` });
      const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => consume(made, at % 2 === 0)));
      expect(replies.filter(({ body }) => body.status === 'OK')).toHaveLength(1);
      expect(replies.filter(({ body }) => body.status === 'RESTART_FLOW_ERROR')).toHaveLength(19);
    }
  });

  test('one contact makes one user, however many codes it was sent', async () => {
    const ids = new Set<string>();
    const statuses = new Set<number>();
    const lane = async (number: number): Promise<void> => {
      for (let round = 0; round < 10; round += 1) {
        const made = await make({ email: 'busy@example.com' });
        const { status, body } = await consume(made, number % 2 === 0);
        statuses.add(status);
        if (body.recipeUserId !== undefined) ids.add(body.recipeUserId);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, number) => lane(number)));
    expect(statuses).toEqual(new Set([200]));
    expect(ids.size).toBe(1);
  });

  test('creating and consuming on one tenant at once never fail', async () => {
    const outcomes = new Set<string>();
    const lane = async (number: number): Promise<void> => {
      for (let round = 0; round < 20; round += 1) {
        const { status, body } = await consume(await make({ email: `lane-${number}-${round % 4}@example.com` }), round % 2 === 0);
        outcomes.add(`${status} ${body.status}`);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, number) => lane(number)));
    expect(outcomes).toEqual(new Set(['200 OK']));
  });
});
