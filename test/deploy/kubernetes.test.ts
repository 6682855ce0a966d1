import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { IMAGE } from '../long/dockerfile.ts';
import { PROJECT_ROOT, startCore } from '../running-core.ts';
import { unknownNames } from './known-names.ts';

/* The manifests of deploy/kubernetes against Kubernetes' own definitions, which refuse names that they do not know. */

const FOLDER = join(PROJECT_ROOT, 'deploy', 'kubernetes');
const { kinds, ...definitions } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'test', 'deploy', 'kubernetes-schema.json'), 'utf8')) as {
  readonly kinds: Readonly<Record<string, string>>;
  readonly $defs: object;
};
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(definitions, 'kubernetes');

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
interface Pod {
  readonly containers: readonly [Container];
  readonly terminationGracePeriodSeconds: number;
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly labels?: object };
  readonly spec: {
    readonly selector?: unknown;
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
  };
}

const read = (name: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(join(FOLDER, name), 'utf8')).map((document) => document.toJS() as Manifest);
const FILES = readdirSync(FOLDER);

function faultsOf(manifest: Manifest): readonly string[] {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const validate = ajv.getSchema(`kubernetes#/$defs/${kinds[kind]}`);
  if (!validate) return [`${kind} has no definition here`];
  validate(manifest);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => `${kind}${instancePath} ${message} ${JSON.stringify(params)}`);
}

function podOf(name: string): Pod {
  const pods = read(name).flatMap(({ spec }) => (spec.template ? [spec.template.spec] : []));
  const [pod] = pods;
  if (!pod || pods.length > 1) throw new Error(`${name} should have one kind of pod`);
  return pod;
}

test('the definitions find a wrong name, a wrong type and a missing member', () => {
  const [, set] = read('embedded.yaml');
  const spoilt = JSON.stringify(set).replace('enableServiceLinks', 'enableServiceLink').replace('"replicas":1', '"replicas":"1"');
  const faults = faultsOf(JSON.parse(spoilt.replace('"serviceName":"watchword",', '').replace('"selector":', '"selectors":')) as Manifest);
  expect(faults.join('\n')).toContain('"additionalProperty":"enableServiceLink"');
  expect(faults.join('\n')).toContain('spec/replicas must be integer');
  expect(faults.join('\n')).toContain('"missingProperty":"selector"');
});

describe.each(FILES)('%s', (name) => {
  const pod = podOf(name);
  const [container] = pod.containers;
  const variables = container.env.map((one) => one.name);

  test('is what Kubernetes takes', () => {
    expect(read(name).flatMap(faultsOf)).toEqual([]);
  });

  test('selects its own pods everywhere', () => {
    const labels = { 'app.kubernetes.io/name': 'watchword' };
    const selectors = read(name).flatMap(({ spec }) => [spec.selector, spec.template?.metadata].filter((one) => one !== undefined));
    expect(selectors.length).toBeGreaterThan(2);
    for (const selector of selectors) expect(JSON.stringify(selector)).toContain(JSON.stringify(labels).slice(1, -1));
  });

  test('sets nothing that a core does not know, and no secret', () => {
    expect(unknownNames(variables)).toEqual([]);
    expect(variables).toContain('API_KEYS');
    expect(container.env.find((one) => one.name === 'API_KEYS')).not.toHaveProperty('value');
  });

  test('runs as the image does, without rights, and is given the time to stop', () => {
    const [user, group] = IMAGE.user.split(':').map(Number);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: group,
        fsGroup: group,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20);
    expect(container.ports).toEqual([{ name: 'http', containerPort: 3567 }]);
  });

  test('asks paths that a core answers without a key', async () => {
    const core = await startCore({ env: { API_KEYS: 'a-key-of-twenty-characters' } });
    try {
      const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
      expect(probes.map((probe) => probe.httpGet.path)).toEqual(['/readyz', '/readyz', '/livez']);
      for (const probe of probes) expect((await fetch(core.url + probe.httpGet.path)).status).toBe(200);
    } finally {
      await core.stop();
    }
  });
});

test('the store is where the volume is', () => {
  const mounts = podOf('embedded.yaml').containers[0].volumeMounts.map(({ mountPath }) => mountPath);
  expect(mounts).toEqual([IMAGE.env['WATCHWORD_DATA_DIR']]);
});

const database = inject('postgresUrl');

test.skipIf(database === undefined)('a core with its store in a database needs no folder to write to', async () => {
  const mounts = podOf('postgres.yaml').containers[0].volumeMounts.map(({ mountPath }) => mountPath);
  expect(mounts).not.toContain(IMAGE.env['WATCHWORD_DATA_DIR']);
  const env = {
    STORE_ENGINE: 'postgres',
    POSTGRES_URL: String(database),
    POSTGRES_SCHEMA: `kubernetes_${process.pid}`,
    POSTGRES_CONNECTIONS: '16',
  };
  const core = await startCore({ env, dataDir: '/proc/no-such-folder' });
  expect((await fetch(`${core.url}/readyz`)).status).toBe(200);
  expect(await core.stop()).toBe(0);
});
