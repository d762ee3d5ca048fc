import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

describe('readConfig', () => {
  it('needs nothing at all', () => {
    const config = readConfig({});
    expect(config).toMatchObject({ port: 8080, host: 'localhost', databaseUrl: null, s3: null, mode: 'both' });
    expect(config.rateLimitPerMinute).toBe(600);
  });

  it.each([
    ['PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['PORT', '70000', 'a whole number from 0 to 65535'],
    ['PUBLIC_URL', 'example.org', 'a URL that starts with http:// or https://'],
    ['MODE', 'prod', 'one of both, live, test'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or CIDR ranges'],
    ['WEBHOOK_ALLOW_CIDRS', 'lan', 'addresses or CIDR ranges'],
    ['S3_FORCE_PATH_STYLE', 'yes', 'one of true, false'],
    ['SMTP_URL', 'mail.example.org', 'a URL that starts with smtp:// or smtps://'],
    ['LOG_LEVEL', 'loud', 'one of fatal'],
  ])('stops at %s=%s and says what it takes', (name, value, takes) => {
    const read = () => readConfig({ [name]: value, ...(name.startsWith('S3_') ? { S3_BUCKET: 'b' } : {}) });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(name);
    expect(read).toThrow(takes);
  });

  it.each([
    [{ DATABASE_URL: 'postgres://localhost/x' }, 'ENCRYPTION_KEYS'],
    [{ ENCRYPTION_KEYS: 'c2hvcnQ=' }, '32-byte keys'],
    [{ S3_ENDPOINT: 'http://localhost:9000' }, 'S3_BUCKET'],
    [{ VISION_BASE_URL: 'http://localhost:8000/v1' }, 'VISION_MODEL'],
    [{ TURNSTILE_SECRET: 'x' }, 'TURNSTILE_SITE_KEY'],
    [{ SCREEN_SUSPICIOUS_AT: '0.5' }, 'SCREEN_FAILED_AT'],
    [{ SCREEN_SUSPICIOUS_AT: '0.5', SCREEN_FAILED_AT: '1.5' }, 'a probability above 0'],
    [{ SCREEN_SUSPICIOUS_AT: '0.9', SCREEN_FAILED_AT: '0.5' }, 'at least SCREEN_SUSPICIOUS_AT'],
    [{ BOT_SECRETS: 'short' }, 'at least 16 characters'],
  ])('holds settings that belong together: %o', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  it('never repeats a secret in its complaint', () => {
    for (const env of [{ BOT_SECRETS: 'hunter2' }, { DATABASE_URL: 'mysql://me:hunter2@host/x' }]) {
      expect(() => readConfig(env)).toThrow(/^(?!.*hunter2)/);
    }
  });
});
