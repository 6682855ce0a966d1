// Limits of the crypto: one operation in a bare loop, on one thread or on several, in a process of its own.
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify, X509Certificate } from 'node:crypto';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { DOMParser } from '@xmldom/xmldom';
import { bcrypt, bcryptVerify } from 'hash-wasm';
import { SignedXml } from 'xml-crypto';
import { answerOnce } from '../core.mjs';

/** As long as the signed part of an access token. */
const INPUT_BYTES = 560;
/** Different tokens, so that nothing is measured that is warm only for one of them. */
const INPUTS = 64;
const WARM_UP_MS = 400;

function rsaKey() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function inputs() {
  return Array.from({ length: INPUTS }, () => Buffer.from(randomBytes(INPUT_BYTES).toString('base64url').slice(0, INPUT_BYTES)));
}

/** Name of the operation -> makes what it needs and answers the operation; `n` counts the calls. */
const LOOPS = {
  'RS256 verify': () => {
    const { privateKey, publicKey } = rsaKey();
    const signed = inputs().map((input) => ({ input, signature: sign('RSA-SHA256', input, privateKey) }));
    const key = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }));
    return (n) => {
      const { input, signature } = signed[n % INPUTS];
      if (!verify('RSA-SHA256', input, key, signature)) throw new Error('a right signature was refused');
    };
  },
  'RSA-2048 sign': () => {
    const { privateKey } = rsaKey();
    const texts = inputs();
    return (n) => sign('RSA-SHA256', texts[n % INPUTS], privateKey);
  },
  bcrypt: async ({ costFactor }) => {
    const hash = await bcrypt({ password: 'correct horse', salt: randomBytes(16), costFactor, outputType: 'encoded' });
    return () => bcryptVerify({ password: 'correct horse', hash });
  },
  'SAML signature check': ({ responses, certificate }) => {
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
    return (n) => {
      const xml = responses[n % responses.length];
      const document = new DOMParser({ locator: false }).parseFromString(xml, 'text/xml');
      const checker = new SignedXml({ publicCert: publicKey });
      checker.idAttributes = ['ID'];
      checker.loadSignature(document.getElementsByTagNameNS('http://www.w3.org/2000/09/xmldsig#', 'Signature').item(0));
      if (!checker.checkSignature(xml)) throw new Error('a right signature was refused');
    };
  },
};

/** Calls the operation for `seconds`; answers calls a second of one thread. */
async function runLoop({ loop, seconds, ...options }) {
  const operation = await LOOPS[loop](options);
  const measure = async (milliseconds) => {
    const from = performance.now();
    let calls = 0;
    while (performance.now() - from < milliseconds) {
      const result = operation(calls);
      if (result instanceof Promise) await result;
      calls += 1;
    }
    return calls / ((performance.now() - from) / 1000);
  };
  await measure(WARM_UP_MS);
  return await measure(seconds * 1000);
}

/** `{ loop, threads, seconds }` -> `{ perSecond }` of all threads together. */
async function runThreads({ threads, ...job }) {
  const rates = Array.from({ length: threads }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: job });
    return new Promise((done, failed) => {
      worker.once('message', done);
      worker.once('error', failed);
    });
  });
  return { perSecond: (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0) };
}

if (isMainThread) answerOnce(runThreads);
else parentPort.postMessage(await runLoop(workerData));
