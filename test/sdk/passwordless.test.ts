import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { type ExpressApp, Passwordless, startApp } from './express-app.ts';
import { type AppAnswer, FrontEnd } from './front-end.ts';

/** What the SDK sends to an email address or phone number. */
interface Message {
  readonly userInputCode?: string;
  readonly urlWithLinkCode?: string;
}

/** What the front end gets to know of a device. */
interface Device {
  readonly deviceId: string;
  readonly preAuthSessionId: string;
}

const CODE = '/auth/signinup/code';

let core: RunningCore;
let app: ExpressApp;
let number = 0;
/** The last message to each contact, which is written as the visitor spelt it. */
const mailbox = new Map<string, Message>();
const freshEmail = (): string => `code-${(number += 1)}@example.com`;

function keep(contact: string, message: Message): Promise<void> {
  mailbox.set(contact.toLowerCase(), message);
  return Promise.resolve();
}

beforeAll(async () => {
  core = await startCore();
  const recipe = Passwordless.init({
    contactMethod: 'EMAIL_OR_PHONE',
    flowType: 'USER_INPUT_CODE_AND_MAGIC_LINK',
    emailDelivery: { service: { sendEmail: (message) => keep(message.email, message) } },
    smsDelivery: { service: { sendSms: (message) => keep(message.phoneNumber, message) } },
  });
  app = await startApp(core.url, undefined, [recipe]);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

const codeSentTo = (contact: string): string => String(mailbox.get(contact)?.userInputCode);
const linkCodeSentTo = (contact: string): string => new URL(String(mailbox.get(contact)?.urlWithLinkCode)).hash.slice(1);

async function started(front: FrontEnd, contact: { readonly email: string } | { readonly phoneNumber: string }): Promise<Device> {
  const { body } = await front.post(CODE, contact);
  expect(body, JSON.stringify(body)).toMatchObject({ status: 'OK', flowType: 'USER_INPUT_CODE_AND_MAGIC_LINK' });
  return { deviceId: String(body['deviceId']), preAuthSessionId: String(body['preAuthSessionId']) };
}

const consume = (front: FrontEnd, device: Device, userInputCode: string): Promise<AppAnswer> =>
  front.post(`${CODE}/consume`, { ...device, userInputCode });

describe('a visitor', () => {
  test('signs up with the code of an email, and in again', async () => {
    const email = freshEmail();
    const front = new FrontEnd(app.url, 'header');
    const first = await consume(front, await started(front, { email }), codeSentTo(email));
    expect(first.body).toMatchObject({ status: 'OK', createdNewRecipeUser: true, user: { emails: [email] } });
    const { id } = first.body['user'] as { readonly id: string };
    expect((await front.get('/me')).body['userId']).toBe(id);

    const elsewhere = new FrontEnd(app.url, 'cookie');
    const second = await consume(elsewhere, await started(elsewhere, { email: email.toUpperCase() }), codeSentTo(email));
    expect(second.body).toMatchObject({ status: 'OK', createdNewRecipeUser: false, user: { id } });
    expect((await elsewhere.get('/me/checked')).body['userId']).toBe(id);
  });

  test('who is disabled has to start again with a right code, again and again', async () => {
    const email = freshEmail();
    const front = new FrontEnd(app.url, 'header');
    const { body } = await consume(front, await started(front, { email }), codeSentTo(email));
    await cdiClient(core.url).post('/manage/v1/user/disable', { userId: (body['user'] as { readonly id: string }).id });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const back = new FrontEnd(app.url, 'header');
      const refused = await consume(back, await started(back, { email }), codeSentTo(email));
      expect(refused.body).toEqual({ status: 'RESTART_FLOW_ERROR' });
      expect((await back.get('/me')).status).toBe(401);
    }
  });

  test('may mistype, and ask for another code', async () => {
    const email = freshEmail();
    const front = new FrontEnd(app.url, 'header');
    const device = await started(front, { email });
    const wrong = codeSentTo(email) === '000000' ? '111111' : '000000';
    expect((await consume(front, device, wrong)).body).toEqual({
      status: 'INCORRECT_USER_INPUT_CODE_ERROR',
      failedCodeInputAttemptCount: 1,
      maximumCodeInputAttempts: 5,
    });
    const old = codeSentTo(email);
    expect((await front.post(`${CODE}/resend`, device)).body).toEqual({ status: 'OK' });
    expect(codeSentTo(email)).not.toBe(old);
    expect((await consume(front, device, codeSentTo(email))).body).toMatchObject({ status: 'OK' });
    expect((await consume(front, device, old)).body).toEqual({ status: 'RESTART_FLOW_ERROR' });
    expect((await front.post(`${CODE}/resend`, device)).body).toEqual({ status: 'RESTART_FLOW_ERROR' });
  });

  test('has five tries', async () => {
    const email = freshEmail();
    const front = new FrontEnd(app.url, 'header');
    const device = await started(front, { email });
    for (let tries = 1; tries <= 4; tries += 1) {
      expect((await consume(front, device, 'wrong')).body).toMatchObject({ failedCodeInputAttemptCount: tries });
    }
    expect((await consume(front, device, 'wrong')).body).toEqual({ status: 'RESTART_FLOW_ERROR' });
    expect((await consume(front, device, codeSentTo(email))).body).toEqual({ status: 'RESTART_FLOW_ERROR' });
    expect((await front.get('/me')).status).toBe(401);
  });

  test('opens the link of a text message on another device', async () => {
    const phoneNumber = `+1202555${1000 + (number += 1)}`;
    const { preAuthSessionId } = await started(new FrontEnd(app.url, 'header'), { phoneNumber });
    const other = new FrontEnd(app.url, 'header');
    const link = { preAuthSessionId, linkCode: linkCodeSentTo(phoneNumber) };
    expect((await other.post(`${CODE}/consume`, link)).body).toMatchObject({ status: 'OK', user: { phoneNumbers: [phoneNumber] } });
    expect((await other.get('/me')).status).toBe(200);
    expect((await other.post(`${CODE}/consume`, link)).body).toEqual({ status: 'RESTART_FLOW_ERROR' });
  });
});

describe('what the back end does', () => {
  test('lists and revokes codes', async () => {
    const email = freshEmail();
    const first = await Passwordless.createCode({ email, tenantId: 'public' });
    const again = await Passwordless.createNewCodeForDevice({ deviceId: first.deviceId, tenantId: 'public' });
    expect(again.status).toBe('OK');
    const used = { deviceId: first.deviceId, userInputCode: first.userInputCode, tenantId: 'public' };
    expect(await Passwordless.createNewCodeForDevice(used)).toEqual({ status: 'USER_INPUT_CODE_ALREADY_USED_ERROR' });

    const listed = await Passwordless.listCodesByEmail({ email, tenantId: 'public' });
    expect(listed).toMatchObject([{ preAuthSessionId: first.preAuthSessionId, email, failedCodeInputAttemptCount: 0 }]);
    expect(listed[0]?.codes).toHaveLength(2);
    const { deviceId, preAuthSessionId } = first;
    expect(await Passwordless.listCodesByDeviceId({ deviceId, tenantId: 'public' })).toEqual(listed[0]);
    expect(await Passwordless.listCodesByPreAuthSessionId({ preAuthSessionId, tenantId: 'public' })).toEqual(listed[0]);

    await Passwordless.revokeCode({ codeId: first.codeId, tenantId: 'public' });
    expect((await Passwordless.listCodesByDeviceId({ deviceId, tenantId: 'public' }))?.codes).toHaveLength(1);
    await Passwordless.revokeAllCodes({ email, tenantId: 'public' });
    expect(await Passwordless.listCodesByEmail({ email, tenantId: 'public' })).toEqual([]);
  });

  test('checks a code before it consumes it', async () => {
    const { userInputCode, deviceId, preAuthSessionId } = await Passwordless.createCode({ email: freshEmail(), tenantId: 'public' });
    const proof = { userInputCode, deviceId, preAuthSessionId, tenantId: 'public' };
    expect(await Passwordless.checkCode(proof)).toMatchObject({ status: 'OK', consumedDevice: { preAuthSessionId } });
    expect(await Passwordless.consumeCode(proof)).toMatchObject({ status: 'OK', createdNewRecipeUser: true });
    expect(await Passwordless.checkCode(proof)).toEqual({ status: 'RESTART_FLOW_ERROR' });
  });

  test('gives a user a phone number, and takes the email away', async () => {
    const email = freshEmail();
    const made = await Passwordless.signInUp({ email, tenantId: 'public' });
    const phoneNumber = `+1202555${1000 + (number += 1)}`;
    const { recipeUserId } = made;
    expect(await Passwordless.updateUser({ recipeUserId, phoneNumber })).toEqual({ status: 'OK' });
    expect(await Passwordless.updateUser({ recipeUserId, email: null })).toEqual({ status: 'OK' });
    const back = await Passwordless.signInUp({ phoneNumber, tenantId: 'public' });
    expect(back).toMatchObject({ createdNewRecipeUser: false, user: { id: made.user.id, emails: [], phoneNumbers: [phoneNumber] } });
    const other = await Passwordless.signInUp({ email, tenantId: 'public' });
    expect(other.createdNewRecipeUser).toBe(true);
    const taken = await Passwordless.updateUser({ recipeUserId: other.recipeUserId, phoneNumber });
    expect(taken).toEqual({ status: 'PHONE_NUMBER_ALREADY_EXISTS_ERROR' });
  });
});
