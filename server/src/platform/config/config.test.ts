import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigError } from './reader.ts';

const PLAY = { PLAY_INTEGRITY_PACKAGE: 'com.example.app' };
const KEYS = {
  PLAY_INTEGRITY_DECRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  PLAY_INTEGRITY_VERIFICATION_KEY: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64'),
};

describe('readConfig', () => {
  it('needs no setting', () => {
    const config = readConfig({});
    expect(config).toMatchObject({ port: 8080, host: 'localhost', databaseUrl: null, s3: null, mode: 'both' });
    expect(config.rateLimitPerMinute).toBe(600);
  });

  it.each([
    ['PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['PORT', '70000', 'a whole number from 0 to 65535'],
    ['PUBLIC_URL', 'example.org', 'a URL that starts with http:// or https://'],
    ['PUBLIC_URL', 'https://host/photos?x=1', 'without a user name, a query or a fragment'],
    ['PUBLIC_URL', 'https://host/a b', 'and single slashes'],
    ['PUBLIC_URL', 'https://host//photos', 'and single slashes'],
    ['CAPTURE_BASE_URL', 'https://host/v1/photos', 'does not begin with an address of the service'],
    ['MODE', 'prod', 'one of both, live, test'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or CIDR ranges'],
    ['WEBHOOK_ALLOW_CIDRS', 'lan', 'addresses or CIDR ranges'],
    ['S3_FORCE_PATH_STYLE', 'yes', 'one of true, false'],
    ['SMTP_URL', 'mail.example.org', 'a URL that starts with smtp:// or smtps://'],
    ['LOG_LEVEL', 'loud', 'one of fatal'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'a URL that starts with http:// or https://'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'one of http/protobuf, http/json'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'one of otlp, none'],
    ['OTEL_TRACES_SAMPLER', 'often', 'one of always_on'],
    ['OTEL_SDK_DISABLED', 'yes', 'one of true, false'],
  ])('stops at %s=%s and says what it takes', (name, value, takes) => {
    const read = () => readConfig({ [name]: value, ...(name.startsWith('S3_') ? { S3_BUCKET: 'b' } : {}) });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(name);
    expect(read).toThrow(takes);
  });

  it('switches OpenTelemetry on by an endpoint, and off by each standard variable', () => {
    const telemetry = (env: Record<string, string>) => readConfig(env).telemetry;
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
    expect(telemetry({})).toBeNull();
    expect(telemetry({ OTEL_SERVICE_NAME: 'photos' })).toBeNull();
    expect(telemetry(endpoint)).toMatchObject({ traces: true, metrics: true, protocol: 'http/protobuf' });
    expect(telemetry({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' })).toMatchObject({ traces: true, metrics: false });
    expect(telemetry({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://localhost:4318/v1/metrics' })).toMatchObject({
      traces: false,
      metrics: true,
    });
    expect(telemetry({ OTEL_TRACES_EXPORTER: 'otlp' })).toMatchObject({ traces: true });
    expect(telemetry({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  });

  it.each([
    ['https://Host:443/photos/', 'https://host/photos'],
    ['http://host:8080/', 'http://host:8080'],
    ['https://host/a/b-c', 'https://host/a/b-c'],
  ])('reads PUBLIC_URL=%s as %s', (value, read) => {
    expect(readConfig({ PUBLIC_URL: value }).publicUrl).toBe(read);
  });

  it.each([
    [{ DATABASE_URL: 'postgres://localhost/x' }, 'ENCRYPTION_KEYS'],
    [{ ENCRYPTION_KEYS: 'c2hvcnQ=' }, '32-byte keys'],
    [{ S3_ENDPOINT: 'http://localhost:9000' }, 'S3_BUCKET'],
    [{ VISION_BASE_URL: 'http://localhost:8000/v1' }, 'VISION_MODEL'],
    [{ TURNSTILE_SECRET: 'x' }, 'TURNSTILE_SITE_KEY'],
    [{ APP_ATTEST_ENVIRONMENT: 'development' }, 'APP_ATTEST_APP_IDS takes a value when APP_ATTEST_ENVIRONMENT is set'],
    [{ APP_ATTEST_APP_IDS: 'com.example.app' }, 'ten characters of the team, a dot, the bundle id'],
    [{ APP_ATTEST_APP_IDS: 'ABCDE12345.com.example.app', APP_ATTEST_ENVIRONMENT: 'sandbox' }, 'one of production'],
    [{ APP_ATTEST_APP_IDS: 'ABCDE12345.com.example.app', APP_ATTEST_ROOT: 'package.json' }, 'certificates in PEM'],
    [{ PLAY_INTEGRITY_CERTIFICATES: 'aa' }, 'PLAY_INTEGRITY_PACKAGE takes a value'],
    [{ PLAY_INTEGRITY_PACKAGE: 'example' }, 'the package name of an app'],
    [PLAY, 'PLAY_INTEGRITY_SERVICE_ACCOUNT takes a value when PLAY_INTEGRITY_PACKAGE is set, or'],
    [{ ...PLAY, PLAY_INTEGRITY_SERVICE_ACCOUNT: 'package.json' }, "a service account's key file"],
    [{ ...PLAY, PLAY_INTEGRITY_SERVICE_ACCOUNT: 'nowhere.json' }, 'the path of an existing file'],
    [{ ...PLAY, PLAY_INTEGRITY_DECRYPTION_KEY: 'hunter2' }, 'PLAY_INTEGRITY_VERIFICATION_KEY'],
    [{ ...PLAY, ...KEYS, PLAY_INTEGRITY_DECRYPTION_KEY: 'hunter2' }, '32 bytes in base64'],
    [{ ...PLAY, ...KEYS, PLAY_INTEGRITY_VERIFICATION_KEY: 'hunter2' }, 'a public key on P-256'],
    [{ ...PLAY, ...KEYS, PLAY_INTEGRITY_CERTIFICATES: 'aabb' }, 'SHA-256 fingerprints'],
    [{ SCREEN_SUSPICIOUS_AT: '0.5' }, 'SCREEN_FAILED_AT'],
    [{ SCREEN_SUSPICIOUS_AT: '0.5', SCREEN_FAILED_AT: '1.5' }, 'a probability above 0'],
    [{ SCREEN_SUSPICIOUS_AT: '0.9', SCREEN_FAILED_AT: '0.5' }, 'at least SCREEN_SUSPICIOUS_AT'],
    [{ BOT_SECRETS: 'short' }, 'at least 16 characters'],
  ])('holds settings that belong together: %o', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  it('never repeats a secret in an error', () => {
    for (const env of [
      { BOT_SECRETS: 'hunter2' },
      { DATABASE_URL: 'mysql://me:hunter2@host/x' },
      { ...PLAY, ...KEYS, PLAY_INTEGRITY_DECRYPTION_KEY: 'hunter2' },
    ]) {
      expect(() => readConfig(env)).toThrow(/^(?!.*hunter2)/);
    }
  });
});

describe('docs/operate.md', () => {
  it('has a row for every variable that the config reads', () => {
    const sources = readdirSync(import.meta.dirname)
      .filter(file => !file.endsWith('.test.ts'))
      .map(file => readFileSync(join(import.meta.dirname, file), 'utf8'));
    const literals = sources.flatMap(source =>
      [...source.matchAll(/['.]([A-Z][A-Z\d]*(?:_[A-Z\d]+)+|HOST|PORT|MODE|TESSERACT|WITNESSES)['.?]/g)].map(
        ([, name]) => name!,
      ),
    );
    // Parts of names that are put together: OIDC_<NAME>_ISSUER, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.
    const parts = readFileSync(join(import.meta.dirname, 'sign-in.ts'), 'utf8').match(
      /const MEMBERS = \[([^\]]+)\]/,
    )![1]!;
    const members = [...parts.matchAll(/'(\w+)'/g)].map(([, member]) => member!);
    const signals = ['TRACES', 'METRICS'].flatMap(signal => [
      `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`,
      `OTEL_${signal}_EXPORTER`,
    ]);
    const read = new Set([
      ...literals.filter(name => !members.includes(name)),
      ...members.map(member => `OIDC_<NAME>_${member}`),
      ...signals,
    ]);
    expect(read.size).toBeGreaterThan(100);

    const page = readFileSync(join(import.meta.dirname, '../../../../docs/operate.md'), 'utf8');
    const named = page
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .flatMap(line => [...line.split(/(?<!\\)\|/)[1]!.matchAll(/`([^`]+)`/g), ...line.matchAll(/`(OTEL_[A-Z_]+)`/g)])
      .map(([, name]) => name!);
    expect([...read].filter(name => !named.includes(name))).toEqual([]);
  });
});
