// Our own load generator, run as a process of its own by `ask`: chains of requests that depend on each other, and arrivals at a fixed rate.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { answerOnce } from '../core.mjs';
import { Connection } from './connection.mjs';
import { consumeCode, createCode, createSession, parseRequests, refreshSession, signIn, signUp } from './requests.mjs';

const REFRESHES_PER_SESSION = 9;
const OK = '"status":"OK"';

/** Sends one request; throws where the answer is not OK. A broken connection is replaced. */
class Client {
  #port;
  #connection;

  constructor(port) {
    this.#port = port;
  }

  async send(bytes) {
    if (!this.#connection?.usable) this.#connection = await Connection.open(this.#port);
    const answer = await this.#connection.exchange(bytes);
    if (answer.status !== 200 || !answer.body.includes(OK)) throw new Error(`${answer.status} ${answer.body.slice(0, 200)}`);
    return answer;
  }

  close() {
    this.#connection?.close();
  }
}

/**
 * Runs `connections` clients, each doing `step` again and again, for `seconds` after a warm-up.
 * `step(client, n)` resolves with how many bytes were answered; a step that ends outside the measured time is not counted.
 * With `ports` in place of `port` the clients are shared out among several nodes.
 */
async function closedLoop({ port, ports = [port], connections, seconds, warmUpSeconds = 0 }, step) {
  const from = performance.now() + warmUpSeconds * 1000;
  const until = from + seconds * 1000;
  const tally = { requests: 0, failed: 0, bytes: 0, seconds, firstFailure: '', latencies: [] };
  const before = process.cpuUsage();
  const run = async (_, n) => {
    const client = new Client(ports[n % ports.length]);
    while (performance.now() < until) {
      const begun = performance.now();
      const failure = await step(client, n).then(
        (bytes) => count(tally, bytes, begun, from, until),
        (error) => error,
      );
      if (failure === undefined) continue;
      tally.failed += 1;
      tally.firstFailure ||= String(failure.message);
      if (tally.failed > 1000) break;
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, run));
  const { user, system } = process.cpuUsage(before);
  const generatorShare = (user + system) / 1e6 / (seconds + warmUpSeconds);
  const { latencies, ...counted } = tally;
  return { ...counted, perSecond: tally.requests / seconds, generatorShare, p99Ms: quantile(latencies, 0.99) };
}

function count(tally, bytes, begun, from, until) {
  const now = performance.now();
  if (now < from || now > until) return;
  tally.latencies.push(now - begun);
  tally.requests += 1;
  tally.bytes += bytes;
}

function replay(job) {
  const requests = parseRequests(readFileSync(job.file));
  let position = 0;
  return closedLoop(job, async (client) => (await client.send(requests[position++ % requests.length])).bytes);
}

async function replayOnce({ port, file, connections }) {
  const requests = parseRequests(readFileSync(file));
  let position = 0;
  const before = performance.now();
  await eachOf(connections, port, async (client) => {
    while (position < requests.length) await client.send(requests[position++]);
  });
  return { requests: requests.length, perSecond: requests.length / ((performance.now() - before) / 1000) };
}

async function eachOf(connections, port, work) {
  const clients = Array.from({ length: connections }, () => new Client(port));
  await Promise.all(clients.map(work));
  for (const client of clients) client.close();
}

/** Chains of one create and nine refreshes, each of the token before; with `tokens` (a file of refresh tokens, used from position `from`) of refreshes only. */
function chains(job) {
  const tokens = job.tokens ? JSON.parse(readFileSync(job.tokens, 'utf8')) : undefined;
  const held = Array.from({ length: job.connections }, (_, n) => ({ token: tokens?.[job.from + n], uses: 0 }));
  return closedLoop(job, async (client, n) => {
    const chain = held[n];
    const creates = chain.token === undefined || (!tokens && chain.uses >= REFRESHES_PER_SESSION);
    const request = creates ? createSession(randomUUID()) : refreshSession(chain.token);
    const answer = await client.send(request);
    chain.uses = creates ? 0 : chain.uses + 1;
    chain.token = refreshTokenIn(answer.body);
    return answer.bytes;
  });
}

/** Sessions of users who have none yet, or all of `userId`. */
function creates(job) {
  return closedLoop(job, async (client) => (await client.send(createSession(job.userId ?? randomUUID()))).bytes);
}

/** Users who are all new. */
function signUps(job) {
  return closedLoop(job, async (client) => {
    const user = { email: `${randomUUID()}@example.com`, password: 'correct horse 1' };
    return (await client.send(signUp(user))).bytes;
  });
}

const REFRESH_TOKEN = '"refreshToken":{"token":"';

/** Cheaper than parsing the answer: the token is plain ASCII. */
function refreshTokenIn(body) {
  const from = body.indexOf(REFRESH_TOKEN) + REFRESH_TOKEN.length;
  if (from < REFRESH_TOKEN.length) throw new Error('an answer without a refresh token');
  return body.slice(from, body.indexOf('"', from));
}

/** Creates `count` sessions and writes `[{ access, refresh }]` to `out`. */
async function makeSessions({ port, connections, count: wanted, out }) {
  const sessions = [];
  let started = 0;
  await eachOf(connections, port, async (client) => {
    while (started < wanted) {
      started += 1;
      const answer = JSON.parse((await client.send(createSession(randomUUID()))).body);
      sessions.push({ access: answer.accessToken.token, refresh: answer.refreshToken.token });
    }
  });
  writeFileSync(out, JSON.stringify(sessions));
  return { count: sessions.length };
}

/** Signs users up, so that `signIns` can sign them in. */
async function makeUsers({ port, connections, users }) {
  let position = 0;
  await eachOf(connections, port, async (client) => {
    while (position < users.length) await client.send(signUp(users[position++]));
  });
  return { count: users.length };
}

function signIns(job) {
  const requests = job.users.map(signIn);
  return closedLoop(job, async (client, n) => (await client.send(requests[n % requests.length])).bytes);
}

/** Passwordless sign-ups: each a new code and its use, counted once. */
function codes(job) {
  return closedLoop(job, async (client) => {
    const made = await client.send(createCode(`${randomUUID()}@example.com`));
    const consumed = await client.send(consumeCode(JSON.parse(made.body)));
    return made.bytes + consumed.bytes;
  });
}

/**
 * Requests that arrive at a fixed rate whether or not earlier ones were answered. Latency counts from the moment a request was due,
 * so waiting for a free connection, and a late timer of ours, count too (no coordinated omission).
 */
async function arrivals({ port, file, connections, rate, seconds, warmUpSeconds }) {
  const requests = parseRequests(readFileSync(file));
  const clients = Array.from({ length: connections }, () => new Client(port));
  const free = [...clients];
  const due = [];
  const result = { latencies: [], lags: [], finished: 0, failed: 0, firstFailure: '' };
  const total = Math.round(rate * (seconds + warmUpSeconds));
  const firstCounted = Math.round(rate * warmUpSeconds);
  const start = performance.now() + 50;
  const serve = async (client) => {
    while (due.length > 0) {
      const n = due.shift();
      const dueAt = start + (n * 1000) / rate;
      const lag = performance.now() - dueAt;
      const failure = await client.send(requests[n % requests.length]).then(
        () => undefined,
        (error) => error,
      );
      result.finished += 1;
      if (failure) {
        result.failed += 1;
        result.firstFailure ||= String(failure.message);
      }
      if (n < firstCounted) continue;
      result.latencies.push(performance.now() - dueAt);
      result.lags.push(lag);
    }
    free.push(client);
  };
  for (let next = 0; next < total; ) {
    while (next < total && start + (next * 1000) / rate <= performance.now()) due.push(next++);
    while (due.length > 0 && free.length > 0) serve(free.pop());
    await new Promise((done) => setTimeout(done, 1));
  }
  const deadline = performance.now() + 10_000;
  while (result.finished < total && performance.now() < deadline) await new Promise((done) => setTimeout(done, 5));
  for (const client of clients) client.close();
  return { requests: total, failed: result.failed + (total - result.finished), firstFailure: result.firstFailure, ...spread(result) };
}

/** A list again and again, at least once, whatever its size; nothing of it is kept. */
async function listAgain({ port, path, seconds }) {
  const begun = performance.now();
  const until = begun + seconds * 1000;
  let lists = 0;
  let bytes = 0;
  do {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    for await (const piece of answer.body) bytes += piece.length;
    lists += 1;
  } while (performance.now() < until);
  return { lists, bytes, secondsEach: (performance.now() - begun) / 1000 / lists };
}

function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * part) - 1)] ?? Number.NaN;
}

function spread({ latencies, lags }) {
  return {
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
    lagP99Ms: quantile(lags, 0.99),
  };
}

const JOBS = { listAgain, replay, replayOnce, chains, creates, makeSessions, makeUsers, signIns, signUps, codes, arrivals };

answerOnce((job) => JOBS[job.kind](job));
