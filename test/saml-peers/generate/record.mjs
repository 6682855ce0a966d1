// Records how an identity provider of another language answers a login at a running core; see README.md beside this file.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { newSpCredential } from '../../../dist/src/crypto/saml/sp-credential.js';

const ACS = 'https://app.example.com/acs';
const APP = 'https://app.example.com/callback';

const [core, target, ...generator] = process.argv.slice(2);
if (!core || !target || generator.length === 0) throw new Error('usage: node record.mjs CORE_URL FOLDER COMMAND...');
const work = mkdtempSync(join(tmpdir(), 'recording-'));

function run(step) {
  const [command, ...rest] = generator;
  const { status, error } = spawnSync(command, [...rest, step, work], { stdio: 'inherit' });
  if (status !== 0) throw error ?? new Error(`${step} ended with ${status}`);
}

/** A shape for languages without JSON at hand: its name, what is said, and a value or two, on a line each. */
function factsOf([name, { signs, hash, scheme, isTyped, repeatsAttributes, encrypts, nameId, nameIdFormat, attributes }]) {
  const facts = { signs, hash, scheme: 'pkcs1', isTyped, repeatsAttributes: false, nameId, nameIdFormat };
  if (scheme) facts.scheme = scheme;
  if (repeatsAttributes) facts.repeatsAttributes = true;
  if (encrypts) Object.assign(facts, { content: encrypts.content, oaep: encrypts.oaep ?? 'sha1', place: encrypts.place ?? 'inside' });
  const plain = Object.entries(facts);
  const said = Object.entries(attributes).flatMap(([attribute, values]) => values.map((value) => ['attribute', attribute, value]));
  return [...plain, ...said].map((fact) => [name, ...fact].join('\t'));
}

async function call(method, path, body) {
  const answer = await fetch(core + path, { method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

const stack = basename(target);
const all = JSON.parse(readFileSync(new URL('../shapes.json', import.meta.url), 'utf8'));
const shapes = Object.fromEntries(Object.entries(all).filter(([, { stacks }]) => stacks === undefined || stacks.includes(stack)));
writeFileSync(join(work, 'shapes.json'), JSON.stringify(shapes));
writeFileSync(join(work, 'shapes.tsv'), Object.entries(shapes).flatMap(factsOf).join('\n'));
run('describe');
const client = {
  clientId: 'recorded',
  redirectURIs: [APP],
  defaultRedirectURI: APP,
  metadataXML: readFileSync(join(work, 'metadata.xml')).toString('base64'),
  enableRequestSigning: true,
};
const { status } = JSON.parse(await call('PUT', '/recipe/saml/clients', client));
if (status !== 'OK') throw new Error(status);
const login = JSON.parse(await call('POST', '/recipe/saml/login', { clientId: 'recorded', redirectURI: APP, acsURL: ACS }));
const { searchParams } = new URL(login.ssoRedirectURI);
const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest'), 'base64')).toString();
// As a browser sends it, for who checks the signature of the query.
writeFileSync(join(work, 'query.txt'), new URL(login.ssoRedirectURI).search.slice(1));
writeFileSync(join(work, 'request.xml'), request);
// The key that decrypts is not told by any endpoint, and has to be known when this is played again: one of its own stands in for it.
const encryption = await newSpCredential(Date.now());
const metadata = await call('GET', '/.well-known/sp-metadata');
const shown = /(<md:KeyDescriptor use="encryption">.*?<ds:X509Certificate>)[^<]*/;
if (!shown.test(metadata) || !metadata.includes(ACS)) throw new Error('the core has to name its ACS and an encryption key');
writeFileSync(join(work, 'sp-metadata.xml'), metadata.replace(shown, `$1${encryption.certificate}`));
const [, requestId] = / ID="_([^"]+)"/.exec(request);
const recordedAt = Date.now();
run('answer');

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const kept = readdirSync(work).filter((each) => each.endsWith('.xml') || each === 'query.txt');
for (const name of kept) copyFileSync(join(work, name), join(target, name));
writeFileSync(join(target, 'encryption-key.json'), `${JSON.stringify(encryption, null, 2)}\n`);
const recording = { recordedAt: new Date(recordedAt).toISOString(), requestId, relayState: searchParams.get('RelayState'), acsUrl: ACS };
writeFileSync(join(target, 'recording.json'), `${JSON.stringify(recording, null, 2)}\n`);
rmSync(work, { recursive: true });
