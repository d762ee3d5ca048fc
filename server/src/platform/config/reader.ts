import { Resolver } from 'node:dns';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { tlsFault, withVariables } from '../db/connection.ts';
import { urlsOfHosts } from '../db/hosts.ts';
import type { Env } from './environment.ts';

/** A setting has an unusable value. The message names the variable and the accepted values. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** A request to such a path below a proxy that takes the path off could mean either. */
const OWN_ADDRESSES =
  /^\/(v1|v|c|t|docs|dashboard|verify|log|blobs|brand-logos|example-pictures|witness|healthz|readyz|metrics|capture-preview|_capture|_dashboard)(\/|$)/;

export type Reader = ReturnType<typeof readerOf>;

/**
 * Parsers for single settings. An empty value counts as unset. Each throws {@link ConfigError} for an invalid value; `fail` repeats the
 * value in its message, `failSecret` does not.
 */
export function readerOf(env: Env) {
  const basics = basicsOf(env);
  return { ...basics, ...numbersOf(basics), ...filesOf(basics), ...addressesOf(basics), ...listsOf(basics) };
}

type Basics = ReturnType<typeof basicsOf>;

function basicsOf(env: Env) {
  const text = (name: string): string | null => {
    const value = env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  const fail = (name: string, takes: string): never => {
    // An address may contain a password, so do not repeat it.
    const shown = env[name]?.includes('@') ? '' : `=${JSON.stringify(env[name])}`;
    throw new ConfigError(`${name}${shown} is not valid. ${name} takes ${takes}.`);
  };
  const failSecret = (name: string, takes: string): never => {
    throw new ConfigError(`${name} takes ${takes}.`);
  };
  const oneOf = <T extends string>(name: string, choices: readonly T[], fallback: T): T => {
    const value = text(name);
    if (value === null) return fallback;
    return choices.find(choice => choice === value) ?? fail(name, `one of ${choices.join(', ')}`);
  };
  const boolean = (name: string, fallback: boolean) =>
    oneOf(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
  const together = (names: string[]) => {
    const missing = names.filter(name => text(name) === null);
    if (missing.length > 0 && missing.length < names.length) {
      throw new ConfigError(`Set ${missing.join(', ')} too: ${names.find(name => text(name) !== null)} is set.`);
    }
    return missing.length === 0;
  };
  return { text, fail, failSecret, oneOf, boolean, together };
}

function numbersOf({ text, fail, together }: Basics) {
  const number = (pattern: RegExp, kind: string) => (name: string, min: number, max: number, fallback: number) => {
    const value = text(name);
    if (value === null) return fallback;
    const found = Number(value);
    return pattern.test(value) && found >= min && found <= max ? found : fail(name, `a ${kind} from ${min} to ${max}`);
  };
  const probability = (name: string): number => {
    const value = Number(text(name));
    return value > 0 && value <= 1 ? value : fail(name, 'a probability above 0, at most 1');
  };
  const thresholds = (suspicious: string, failed: string) => {
    if (!together([suspicious, failed])) return null;
    const pair = { doubtful: probability(suspicious), confident: probability(failed) };
    return pair.doubtful <= pair.confident ? pair : fail(failed, `a probability of at least ${suspicious}`);
  };
  return { integer: number(/^\d+$/, 'whole number'), decimal: number(/^\d+(\.\d+)?$/, 'number'), thresholds };
}

function filesOf({ text, fail }: Basics) {
  const file = (name: string): string | null => {
    const value = text(name);
    return value === null || existsSync(value) ? value && resolve(value) : fail(name, 'the path of an existing file');
  };
  const pem = (name: string): string | null => {
    const path = file(name);
    const content = path && readFileSync(path, 'utf8');
    return content && !content.includes('-----BEGIN CERTIFICATE-----')
      ? fail(name, 'a file of certificates in PEM')
      : content;
  };
  return { file, pem };
}

function addressesOf({ text, fail, failSecret }: Basics) {
  const url = (name: string, protocols: string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (!parsed || !protocols.includes(parsed.protocol)) {
      return fail(name, `a URL that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`);
    }
    return value.replace(/\/+$/, '');
  };
  const database = (name: string): string | null => {
    const value = text(name);
    if (value === null) return null;
    if (urlsOfHosts(value) === null || !/^postgres(ql)?:/.test(value)) {
      return fail(
        name,
        'a URL that starts with postgres:// or postgresql://, with one host or several, comma-separated',
      );
    }
    const url = withVariables(value, text);
    const fault = tlsFault(url);
    return fault === null ? url : failSecret(name, fault);
  };
  const web = (name: string) => url(name, ['http:', 'https:']);
  /** Where the service is reached: a host, or a path of one. */
  const base = (name: string): string | null => {
    const value = web(name);
    if (value === null) return null;
    const { origin, pathname, search, hash, username, password } = new URL(value);
    const root = pathname.replace(/\/+$/, '');
    if (search + hash + username + password !== '')
      return fail(name, 'a URL without a user name, a query or a fragment');
    if (!/^(\/[A-Za-z0-9._~-]+)*$/.test(root)) {
      return fail(name, 'a URL whose path has only letters, digits, dots, hyphens, underscores and single slashes');
    }
    if (OWN_ADDRESSES.test(root))
      return fail(name, `a URL whose path does not begin with an address of the service, as ${root} does`);
    return `${origin}${root}`;
  };
  return { url, database, web, base };
}

function listsOf({ text, fail, failSecret }: Basics) {
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '');
  const cidrs = (name: string): string[] => {
    const values = list(name);
    for (const value of values) {
      if (!ipaddr.isValid(value) && !ipaddr.isValidCIDR(value)) fail(name, 'addresses or CIDR ranges, comma-separated');
    }
    return values;
  };
  const nameServers = (name: string): string[] => {
    const values = list(name);
    try {
      new Resolver().setServers(values);
    } catch {
      fail(name, 'addresses of name servers, with a port where it is not 53, comma-separated');
    }
    return values;
  };
  const secrets = (name: string): string[] => {
    const values = list(name);
    return values.some(value => value.length < 16)
      ? failSecret(name, 'secrets of at least 16 characters, comma-separated; the first one signs')
      : values;
  };
  return { list, cidrs, nameServers, secrets };
}
