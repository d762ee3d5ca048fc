import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const ACME = {
  OIDC_ACME_CORP_ISSUER: 'https://id.example/',
  OIDC_ACME_CORP_CLIENT_ID: 'firsthand',
  OIDC_ACME_CORP_CLIENT_SECRET: 'a-secret',
};

const ROLES = { OIDC_ACME_CORP_ROLE_CLAIM: 'groups', OIDC_ACME_CORP_ROLE_MAP: 'staff:viewer' };

describe('readSignIn', () => {
  it('gives a provider its lower-case name, a label and the default scopes', () => {
    expect(readConfig(ACME).providers).toEqual([
      {
        name: 'acme_corp',
        label: 'Acme corp',
        issuer: 'https://id.example/',
        clientId: 'firsthand',
        clientSecret: 'a-secret',
        scopes: 'openid email profile',
        roleClaim: null,
        roles: new Map(),
        roleTenant: null,
        autoJoin: null,
      },
    ]);
  });

  it('accepts ROLE_MAP values with colons', () => {
    const more = { OIDC_ACME_CORP_ROLE_CLAIM: 'groups', OIDC_ACME_CORP_ROLE_MAP: 'urn:a:lead:owner, staff:viewer' };
    const [provider] = readConfig({ ...ACME, ...more }).providers;
    expect([...provider!.roles]).toEqual([
      ['urn:a:lead', 'owner'],
      ['staff', 'viewer'],
    ]);
  });

  it.each([
    ['OIDC_ACME_CORP_CLIENT_SECRET', { OIDC_ACME_CORP_CLIENT_SECRET: '' }],
    ['OIDC_ACME_CORP_ISSUER', { OIDC_ACME_CORP_ISSUER: 'id.example' }],
    ['OIDC_ACME_CORP_ISSUER', { OIDC_ACME_CORP_ISSUER: 'http://id.example' }],
    ['OIDC_OTHER_ISSUER', { OIDC_OTHER_LABEL: 'Other' }],
    ['OIDC_ACME_CORP_SCOPES', { OIDC_ACME_CORP_SCOPES: 'email' }],
    ['OIDC_ACME_CORP_ROLE_MAP', { OIDC_ACME_CORP_ROLE_CLAIM: 'groups' }],
    ['OIDC_ACME_CORP_ROLE_MAP', { OIDC_ACME_CORP_ROLE_CLAIM: 'groups', OIDC_ACME_CORP_ROLE_MAP: 'staff:admin' }],
    ['OIDC_ACME_CORP_AUTO_JOIN', { OIDC_ACME_CORP_AUTO_JOIN: 'tnt_1:viewer' }],
    ['OIDC_ACME_CORP_AUTO_JOIN', { OIDC_ACME_CORP_AUTO_JOIN: 'tnt_01JD3V4T6V8X0Z2B4D6F8H0J2K:admin' }],
    ['OIDC_ACME_CORP_ROLE_TENANT', { OIDC_ACME_CORP_ROLE_TENANT: 'tnt_01JD3V4T6V8X0Z2B4D6F8H0J2K' }],
    ['OIDC_ACME_CORP_ROLE_TENANT', { ...ROLES, OIDC_ACME_CORP_ROLE_TENANT: 'acme' }],
    [
      'OIDC_ACME_CORP_ROLE_TENANT',
      {
        ...ROLES,
        OIDC_ACME_CORP_ROLE_TENANT: 'tnt_01JD3V4T6V8X0Z2B4D6F8H0J2K',
        OIDC_ACME_CORP_AUTO_JOIN: 'tnt_01JD3V4T6V8X0Z2B4D6F8H0J2M:viewer',
      },
    ],
    ['SESSION_COOKIE_BRAND', { SESSION_COOKIE_BRAND: 'a b' }],
    ['BOT_SECRETS', { BOT_URL: 'https://bot.example' }],
  ])('a wrong value stops the start with the name %s', (name, more) => {
    expect(() => readConfig({ ...ACME, ...more })).toThrow(name);
  });
});
