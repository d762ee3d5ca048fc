import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { chart } from '../../scripts/release/clients.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CHART = join(import.meta.dirname, 'firsthand');
const EXAMPLE = join(import.meta.dirname, 'example-values.yaml');
const GOLDEN = join(import.meta.dirname, 'golden.yaml');
// Schemas and types of Kubernetes: `.ci/run` installs them.
const MODELS = join(ROOT, '.tmp', 'kubernetes');
const SPRIG = '/usr/share/gocode/src/github.com/Masterminds/sprig';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: { template?: { spec: PodSpec }; [member: string]: unknown };
}
interface PodSpec {
  securityContext: object;
  terminationGracePeriodSeconds?: number;
  affinity?: object;
  containers: {
    image: string;
    env: { name: string; value?: string }[];
    securityContext: object;
    [probe: string]: unknown;
  }[];
  volumes: { name: string; emptyDir?: object; configMap?: object }[];
}

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
const json = (...path: string[]) => JSON.parse(read(...path));
const onPath = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)));

const values = parse(read(CHART, 'values.yaml')) as Record<string, unknown>;
const templates = globSync('templates/*', { cwd: CHART }).sort();
const inputs = [...templates, 'Chart.yaml', 'values.yaml'].map(name => read(CHART, name)).concat(read(EXAMPLE));
const digest = createHash('sha256').update(inputs.join('\0')).digest('hex');

/** The variables that the templates set. */
const ownVariables = templates.flatMap(name =>
  [...read(CHART, name).matchAll(/- name: ([A-Z][A-Z0-9_]+)$/gm)].map(([, variable]) => variable!),
);

const byName = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map(document => document.toJS() as Manifest | null)
    .filter(manifest => manifest !== null)
    .toSorted((a, b) => idOf(a).localeCompare(idOf(b)));
const idOf = ({ kind, metadata }: Manifest) => `${kind}/${metadata.name}`;
const golden = byName(read(GOLDEN));

const HELM = ['template', 'firsthand', CHART, '--namespace', 'default', '--values'];
const GO = ['run', join(import.meta.dirname, 'render.go'), CHART];
/** By Helm, else by Go's templates; null where neither is installed. */
const render = onPath('helm')
  ? (file: string) => execFileSync('helm', [...HELM, file], { encoding: 'utf8' })
  : onPath('go') && existsSync(SPRIG)
    ? (file: string) =>
        execFileSync('go', [...GO, file], {
          encoding: 'utf8',
          env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' },
        })
    : null;

describe('chart', () => {
  it('has the version of package.json', () => {
    const { version } = json(ROOT, 'package.json') as { version: string };
    expect(parse(read(CHART, 'Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('values.schema.json accepts values.yaml and the example, and refuses a misspelt value', () => {
    const valid = new Ajv({ allowUnionTypes: true }).compile(json(CHART, 'values.schema.json'));
    expect(valid(values), JSON.stringify(valid.errors)).toBe(true);
    expect(valid(parse(read(EXAMPLE))), JSON.stringify(valid.errors)).toBe(true);
    expect(valid({ replicas: 2 })).toBe(false);
    expect(valid({ settings: { RATE_LIMIT_PER_MINUTE: 1_000_000 } })).toBe(false);
    for (const name of ownVariables) expect(valid({ settings: { [name]: 'x' } }), name).toBe(false);
  });

  it('values.schema.json knows every value of values.yaml', () => {
    const { properties } = json(CHART, 'values.schema.json') as { properties: object };
    expect(Object.keys(properties).filter(name => name !== 'global')).toEqual(Object.keys(values));
  });

  it.each(templates)('names only values of values.yaml: %s', name => {
    for (const [, path] of read(CHART, name).matchAll(/\.Values((?:\.\w+)+)/g)) {
      const found = path!
        .slice(1)
        .split('.')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values);
      expect(found, `.Values${path}`).not.toBeUndefined();
    }
  });

  it('sets only variables that the settings know', () => {
    const config = globSync('server/src/platform/config/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] })
      .map(name => read(ROOT, name))
      .join('\n');
    expect(ownVariables.length).toBeGreaterThan(10);
    for (const name of ownVariables) expect(config, name).toContain(`'${name}'`);
  });

  it('scales by a gauge that the service has', () => {
    expect(read(CHART, 'templates', 'autoscaling.yaml')).toContain('firsthand_captures_overdue');
    expect(read(ROOT, 'server/src/platform/lib/metrics.ts')).toContain("name: 'firsthand_captures_overdue'");
  });

  it.skipIf(!render)('renders as in golden.yaml (needs helm, or go with sprig)', async () => {
    const manifests = byName(render!(EXAMPLE)).map(manifest => stringify(manifest, { sortMapEntries: true }));
    const text = `# Rendered from files with the SHA-256 ${digest}\n${manifests.join('---\n')}`;
    await expect(text).toMatchFileSnapshot(GOLDEN);
  });

  it('golden.yaml was rendered from these templates: write it again with vitest -u where helm or go is installed', () => {
    expect(read(GOLDEN).split('\n')[0]).toBe(`# Rendered from files with the SHA-256 ${digest}`);
  });

  it.skipIf(!onPath('helm'))('passes helm lint, and installs from the file of a release (needs helm)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fh-chart-'));
    try {
      const [[name, bytes]] = [...(await chart({ root: ROOT, version: '0.0.0', commit: '', time: 0 }))] as [
        [string, Buffer],
      ];
      const file = join(folder, name);
      writeFileSync(file, bytes);
      execFileSync('helm', ['lint', '--strict', file, '--values', EXAMPLE], { stdio: 'pipe' });
      const fromFile = HELM.map(argument => (argument === CHART ? file : argument));
      expect(execFileSync('helm', [...fromFile, EXAMPLE], { encoding: 'utf8' })).toBe(render!(EXAMPLE));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!existsSync(MODELS))('golden.yaml is valid for Kubernetes (needs .tmp/kubernetes, as in CI)', async () => {
    for (const manifest of golden) expect(await invalid(manifest), idOf(manifest)).toBeNull();
    expect(unknownMembers(golden)).toBe('');

    const deployment = golden.find(({ kind }) => kind === 'Deployment')!;
    const deploymentWith = (members: object) => ({ ...deployment, spec: { ...deployment.spec, ...members } });
    expect(await invalid(deploymentWith({ replicas: 'two' }))).toContain('replicas must be integer');
    expect(unknownMembers([deploymentWith({ replcas: 2 })])).toContain(
      `'"replcas"' does not exist in type 'IDeploymentSpec'`,
    );
  });
});

/** What the JSON schema of Kubernetes for this kind says against a manifest; null where it says nothing. */
async function invalid(manifest: Manifest): Promise<string | null> {
  const models = await import(pathToFileURL(join(MODELS, 'node_modules', `${modelOf(manifest)}.js`)).href);
  try {
    new models[manifest.kind](manifest).validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What TypeScript says against members that the types of Kubernetes do not have, which its schemas let pass. */
function unknownMembers(manifests: Manifest[]): string {
  const lines = manifests.flatMap((manifest, i) => [
    `import type { I${manifest.kind} as Kind${i} } from '${modelOf(manifest)}';`,
    `export const manifest${i}: Kind${i} = ${JSON.stringify(manifest, null, 1)};`,
  ]);
  writeFileSync(join(MODELS, 'manifests.ts'), lines.join('\n'));
  const tsc = join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc');
  const options = ['--noEmit', '--ignoreConfig', '--strict', '--skipLibCheck', '--module', 'nodenext', 'manifests.ts'];
  return spawnSync(process.execPath, [tsc, ...options], { cwd: MODELS, encoding: 'utf8' }).stdout;
}

function modelOf({ apiVersion, kind }: Manifest): string {
  const from = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  return `${from}/${apiVersion}/${kind}`;
}

describe('rendered chart', () => {
  const pods = golden.flatMap(manifest => {
    const spec = manifest.spec?.template?.spec;
    return spec ? [[idOf(manifest), spec] as const] : [];
  });

  it('has every part', () => {
    expect(golden.map(idOf)).toEqual([
      'Deployment/firsthand-api',
      'Deployment/firsthand-worker',
      'HorizontalPodAutoscaler/firsthand-worker',
      'Ingress/firsthand',
      'Job/firsthand-migrate',
      'NetworkPolicy/firsthand-api',
      'NetworkPolicy/firsthand-worker',
      'PodDisruptionBudget/firsthand-api',
      'PodDisruptionBudget/firsthand-worker',
      'PodMonitor/firsthand',
      'Service/firsthand',
      'ServiceAccount/firsthand',
    ]);
  });

  it.each(pods)('runs without root on a read-only file system: %s', (_name, spec) => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of spec.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts).toEqual([
        { name: 'data', mountPath: '/data' },
        { name: 'tmp', mountPath: '/tmp' },
        { name: 'authority', mountPath: '/etc/firsthand', readOnly: true },
      ]);
    }
    const [data, tmp, ...extra] = spec.volumes;
    expect([data?.emptyDir, tmp?.emptyDir]).toEqual([{ sizeLimit: '4Gi' }, { sizeLimit: '1Gi' }]);
    expect(extra).toEqual([{ name: 'authority', configMap: { name: 'authority' } }]);
  });

  it.each(pods)('sets no variable twice: %s', (_name, spec) => {
    const names = spec.containers[0]!.env.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(pods.filter(([name]) => name.startsWith('Deployment')))(
    'asks /readyz, and lives by /healthz: %s',
    (_, spec) => {
      const [container] = spec.containers;
      expect(container!.readinessProbe).toMatchObject({ httpGet: { path: '/readyz' } });
      expect(container!.livenessProbe).toMatchObject({ httpGet: { path: '/healthz' } });
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(70);
    },
  );

  it('places the migration Job, and serves both families', () => {
    const job = pods.find(([name]) => name === 'Job/firsthand-migrate')![1];
    expect(job).toMatchObject({ nodeSelector: { pool: 'tools' }, tolerations: [{ key: 'dedicated' }] });
    expect(job.affinity).toHaveProperty('nodeAffinity');
    expect(golden.find(({ kind }) => kind === 'Service')!.spec).toMatchObject({
      ipFamilyPolicy: 'RequireDualStack',
      ipFamilies: ['IPv6', 'IPv4'],
    });
    for (const [name, spec] of pods)
      expect([name, spec.containers[0]!.env.find(one => one.name === 'HOST')]).toEqual([
        name,
        { name: 'HOST', value: '::' },
      ]);
    expect(JSON.stringify(golden.find(({ kind }) => kind === 'Ingress'))).toContain(
      '"pathType":"ImplementationSpecific"',
    );
  });

  const LEAST = 'publicUrl: https://photos.example.com\ns3: { bucket: photos }\n';
  const secretly = (...names: string[]) =>
    `secretSettings: [${names.map(name => `{ setting: ${name}, secret: firsthand, key: x }`).join(', ')}]\n`;

  it.skipIf(!render)(
    'listens on IPv4 by default, and takes REDIS_URL from a Secret (needs helm, or go with sprig)',
    () => {
      const text = rendered(LEAST + secretly('REDIS_URL', 'DATABASE_URL'));
      expect(text).toMatch(/name: HOST\n\s+value: "0\.0\.0\.0"/);
      expect(text).not.toContain('ipFamil');
      expect(text.match(/name: REDIS_URL/g)).toHaveLength(3);
    },
  );

  it.skipIf(!render).each([
    ['no setting of the chart', `${LEAST}settings: { PUBLIC_URL: x }`, /PUBLIC_URL.*publicUrl|settings/],
    ['no secret setting of the chart', LEAST + secretly('S3_BUCKET'), /S3_BUCKET is set twice/],
    ['no second Redis', `${LEAST}redisUrl: redis://redis\n${secretly('REDIS_URL')}`, /REDIS_URL is set twice/],
    ['no setting twice', `${LEAST}settings: { SMTP_URL: x }\n${secretly('SMTP_URL')}`, /SMTP_URL is set twice/],
    ['no secret setting twice', LEAST + secretly('SMTP_URL', 'SMTP_URL'), /SMTP_URL is set twice/],
  ])('takes %s (needs helm, or go with sprig)', (_name, text, message) => {
    expect(() => rendered(text)).toThrow(message);
  });

  function rendered(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'fh-chart-'));
    const file = join(folder, 'values.yaml');
    writeFileSync(file, text);
    try {
      return render!(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it.skipIf(!render).each([
    ['a public URL', '{}', /Set publicUrl/],
    ['a bucket', 'publicUrl: https://photos.example.com', /Set s3\.bucket/],
  ])('needs %s (needs helm, or go with sprig)', (_name, text, message) => {
    expect(() => rendered(text)).toThrow(message);
  });
});
