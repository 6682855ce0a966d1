import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningCore, startCore } from '../../running-core.ts';
import type { ReceivedSpan } from './otlp.ts';
import { openReceiver, type Receiver } from './receiver.ts';

/* A core whose traces go to a collector, from the header of a caller to the spans that come out. */

const CALLER = '00f067aa0ba902b7';
const EMAIL = 'traced@example.com';
const PASSWORD = 'a-secret-password-1';

let receiver: Receiver;
let core: RunningCore;
let traces = 0;

beforeAll(async () => {
  receiver = await openReceiver();
  core = await startCore({
    env: {
      OTEL_COLLECTOR_CONNECTION_URI: receiver.url,
      OTEL_COLLECTOR_HEADERS: 'authorization=Bearer%20a-secret-key',
      OTEL_SERVICE_NAME: 'sign-ins',
      OTEL_SAMPLING_RATIO: '0',
    },
  });
});
afterAll(async () => {
  await core.stop();
  await receiver.close();
});

interface Traced {
  readonly traceId: string;
  readonly status: number;
  readonly text: string;
}

/** Posts as part of a trace of its own; answers the id of the trace and the answer. */
async function traced(path: string, body: object, headers: Record<string, string> = {}): Promise<Traced> {
  traces += 1;
  const traceId = traces.toString(16).padStart(32, 'a');
  const response = await fetch(`${core.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cdi-version': '5.4', traceparent: `00-${traceId}-${CALLER}-01`, ...headers },
    body: JSON.stringify(body),
  });
  return { traceId, status: response.status, text: await response.text() };
}

/** The spans of a trace, once the one of the request is among them. */
async function spansOf(traceId: string): Promise<readonly ReceivedSpan[]> {
  return vi.waitFor(() => {
    const spans = receiver.spans().filter((span) => span.traceId === traceId);
    expect(spans.some(({ kind }) => kind === 2)).toBe(true);
    return spans;
  }, 10_000);
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
};

describe('a sign-up that its caller traces', () => {
  let spans: readonly ReceivedSpan[];
  beforeAll(async () => {
    spans = await spansOf((await traced('/recipe/signup', { email: EMAIL, password: PASSWORD })).traceId);
  });

  test('is a span of the caller, and tells the row, the tenant and the version', () => {
    const request = named(spans, 'POST /recipe/signup');
    expect(request).toMatchObject({ kind: 2, parentId: CALLER, status: 0 });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/recipe/signup',
      'http.response.status_code': 200,
      'watchword.app_id': 'public',
      'watchword.tenant_id': 'public',
      'watchword.cdi_version': '5.4',
      'thread.name': expect.stringMatching(/^http-[01]$/),
    });
  });

  test('has spans for what it waits for, one after the other within it', () => {
    const request = named(spans, 'POST /recipe/signup');
    const [wait, work, transaction] = ['lane hash wait', 'lane hash work', 'store transaction'].map((name) => named(spans, name));
    const commit = named(spans, 'store commit');
    for (const span of [wait, work, transaction]) expect(span?.parentId).toBe(request.spanId);
    expect(commit.parentId).toBe(transaction?.spanId);
    expect(transaction?.attributes).toEqual({ 'watchword.store.reruns': 0 });
    expect(wait?.endNs).toBe(work?.startNs);
    const times = [
      request.startNs,
      wait?.startNs,
      work?.startNs,
      work?.endNs,
      transaction?.startNs,
      commit.startNs,
      commit.endNs,
      request.endNs,
    ];
    expect(times.map((time) => time ?? 0n).toSorted((a, b) => Number(a - b))).toEqual(times);
  });

  test('names the service, its version and the process', () => {
    expect(new Set(receiver.spans().map(({ resource }) => JSON.stringify(resource))).size).toBe(1);
    expect(spans[0]?.resource).toEqual({
      'service.name': 'sign-ins',
      'service.version': expect.stringMatching(/^\d/),
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('holds nothing of what was sent', () => {
    const all = JSON.stringify(receiver.spans(), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    for (const secret of [EMAIL, PASSWORD, 'a-secret-key', 'example.com']) expect(all).not.toContain(secret);
    expect(core.output()).not.toContain('a-secret-key');
    expect(receiver.received[0]?.headers['authorization']).toBe('Bearer a-secret-key');
  });
});

test('a signature is wait and work of the lane that signs', async () => {
  const { traceId, text } = await traced('/recipe/session', {
    userId: 'u',
    userDataInJWT: {},
    userDataInDatabase: {},
    enableAntiCsrf: false,
  });
  const spans = await spansOf(traceId);
  expect(named(spans, 'lane sign work').startNs).toBe(named(spans, 'lane sign wait').endNs);
  const { accessToken } = JSON.parse(text) as { accessToken: { token: string } };
  const body = { accessToken: accessToken.token, enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase: true };
  const verified = await traced('/recipe/session/verify', body);
  expect((await spansOf(verified.traceId)).map(({ name }) => name).toSorted()).toEqual(['POST /recipe/session/verify', 'store read']);
});

test.each([
  ['an unknown path, which is not named', '/recipe/of-the-caller', {}, 'POST /', 404, 0],
  ['a refusal, which is no failure', '/recipe/signin', {}, 'POST /recipe/signin', 400, 0],
  [
    'an unknown tenant, which is not named',
    '/t-of-the-caller/recipe/signin',
    { email: EMAIL, password: 'p' },
    'POST /recipe/signin',
    400,
    0,
  ],
])('%s', async (_, path, body, name, status, failed) => {
  const asked = await traced(path, body);
  expect(asked.status).toBe(status);
  const request = named(await spansOf(asked.traceId), name);
  expect(request).toMatchObject({ status: failed, attributes: { 'http.response.status_code': status } });
  expect(JSON.stringify(request.attributes)).not.toContain('of-the-caller');
});

test('requests whose callers do not trace them are not traced, nor are probes', async () => {
  const before = receiver.spans().length;
  await traced('/recipe/signin', { email: EMAIL, password: PASSWORD }, { traceparent: `00-${'b'.repeat(32)}-${CALLER}-00` });
  await fetch(`${core.url}/readyz`, { headers: { traceparent: `00-${'c'.repeat(32)}-${CALLER}-01` } });
  const { traceId } = await traced('/recipe/signin', { email: EMAIL, password: PASSWORD });
  await spansOf(traceId);
  expect(
    receiver
      .spans()
      .slice(before)
      .filter((span) => span.traceId !== traceId),
  ).toEqual([]);
});

test('the metrics count spans', async () => {
  const metrics = await (await fetch(`${core.url}/metrics`)).text();
  expect(metrics).toMatch(/^watchword_trace_spans_sent_total [1-9]/m);
  expect(metrics).toContain('watchword_trace_spans_lost_total 0\n');
});
