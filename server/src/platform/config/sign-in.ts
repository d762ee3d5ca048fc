import { isId } from '@firsthand/contract/base/ids.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import { ROLES } from '@firsthand/contract/people/roles.ts';
import type { Env } from './environment.ts';
import { ConfigError, type Reader } from './reader.ts';

/** An OpenID Connect provider: `OIDC_<NAME>_…`. */
export interface ProviderConfig {
  /** Lower case; part of the route `/v1/auth/<name>/start`. */
  name: string;
  label: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  /** The claim that holds a person's role; `a.b` reads member `b` of claim `a`. */
  roleClaim: string | null;
  roles: ReadonlyMap<string, Role>;
  /** The tenant whose roles the claim sets; null: that of `autoJoin`, else the only one. */
  roleTenant: string | null;
  /** People without an invitation join this tenant. */
  autoJoin: { tenantId: string; role: Role } | null;
}

export interface SignInConfig {
  providers: ProviderConfig[];
  /** The URL that one-time codes are posted to. */
  botUrl: string | null;
  /** Name of the session cookie. */
  sessionCookie: string;
}

const MEMBERS = [
  'ISSUER',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'SCOPES',
  'LABEL',
  'ROLE_CLAIM',
  'ROLE_MAP',
  'ROLE_TENANT',
  'AUTO_JOIN',
];
const VARIABLE = new RegExp(`^OIDC_([A-Z0-9_]+?)_(${MEMBERS.join('|')})$`);
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

/** Reads the sign-in settings. */
export function readSignIn(reader: Reader, env: Env): SignInConfig {
  const { text, web, fail, list } = reader;
  const botUrl = web('BOT_URL');
  if (botUrl && list('BOT_SECRETS').length === 0) {
    throw new ConfigError('Set BOT_SECRETS too: BOT_URL is set, and the first secret signs the messages to the bot.');
  }
  const brand = text('SESSION_COOKIE_BRAND') ?? 'firsthand';
  if (!/^[a-z0-9-]{1,40}$/.test(brand)) {
    fail('SESSION_COOKIE_BRAND', 'up to 40 small letters, digits and hyphens');
  }
  const names = Object.keys(env).flatMap(name => (text(name) === null ? [] : (VARIABLE.exec(name)?.[1] ?? [])));
  const providers = [...new Set(names)].toSorted().map(name => provider(name, reader));
  return { providers, botUrl, sessionCookie: `${brand}_session` };
}

function provider(name: string, { text, web, fail, together }: Reader): ProviderConfig {
  const of = (member: string) => `OIDC_${name}_${member}`;
  const required = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'].map(of);
  if (!together(required)) {
    throw new ConfigError(`Set ${required.join(', ')}: the provider ${name} needs all of them.`);
  }
  // OpenID Connect compares the issuer character by character, so keep a trailing slash.
  web(of('ISSUER'));
  const issuer = text(of('ISSUER'))!;
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !LOOPBACK.test(hostname)) fail(of('ISSUER'), 'an https URL (http only on this machine)');
  const roles = new Map(
    (text(of('ROLE_MAP')) ?? '')
      .split(',')
      .filter(pair => pair.trim() !== '')
      .map(pair => {
        const at = pair.lastIndexOf(':');
        const [value, role] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
        if (at < 1 || !isRole(role)) return fail(of('ROLE_MAP'), `value:role pairs, comma-separated; ${rolesAre}`);
        return [value, role] as const;
      }),
  );
  if ((text(of('ROLE_CLAIM')) === null) !== (roles.size === 0)) {
    throw new ConfigError(`Set ${of('ROLE_CLAIM')} and ${of('ROLE_MAP')} together.`);
  }
  const scopes = text(of('SCOPES')) ?? 'openid email profile';
  if (!scopes.split(' ').includes('openid')) fail(of('SCOPES'), 'scopes separated by spaces, openid among them');
  const join = text(of('AUTO_JOIN'));
  const [tenantId = '', role = ''] = join?.split(':') ?? [];
  if (join !== null && (!isId('tnt', tenantId) || !isRole(role)))
    fail(of('AUTO_JOIN'), `<tenant_id>:<role>; ${rolesAre}`);
  const roleTenant = text(of('ROLE_TENANT'));
  if (roleTenant !== null && !isId('tnt', roleTenant)) fail(of('ROLE_TENANT'), 'the id of an account (tnt_…)');
  if (roleTenant !== null && roles.size === 0)
    throw new ConfigError(`Set ${of('ROLE_MAP')} too: ${of('ROLE_TENANT')} is set.`);
  if (roleTenant !== null && join !== null && roleTenant !== tenantId) {
    throw new ConfigError(`Name the same account in ${of('ROLE_TENANT')} and ${of('AUTO_JOIN')}.`);
  }
  return {
    name: name.toLowerCase(),
    label: text(of('LABEL')) ?? `${name[0]}${name.slice(1).toLowerCase().replaceAll('_', ' ')}`,
    issuer,
    clientId: text(of('CLIENT_ID'))!,
    clientSecret: text(of('CLIENT_SECRET'))!,
    scopes,
    roleClaim: text(of('ROLE_CLAIM')),
    roles,
    roleTenant,
    autoJoin: join === null ? null : { tenantId, role: role as Role },
  };
}

const rolesAre = `roles are ${ROLES.join(', ')}`;
