import { ApiError, Firsthand, FirsthandError } from '@firsthand/sdk';
import type { Credentials } from './settings.ts';

/** The service for one connection or one request, with its credentials. */
export interface Service {
  url: string;
  firsthand: Firsthand;
  /** The client of the person who lends a session; null without one. */
  person: Firsthand | null;
  /** What must never stand in an answer. */
  secrets: readonly string[];
  /** Set once the service has refused the key. */
  isRefused: boolean;
}

/** Every change is marked: the audit log then says that a program acted for the person or the key. */
const MARK = { 'firsthand-via': 'agent' };
const TIMEOUT_MS = 30_000;

export function createService(url: string, { key, session }: Credentials): Service {
  const client = (sent: string | null, more: Record<string, string>) =>
    new Firsthand(sent, { baseUrl: url, timeoutMs: TIMEOUT_MS, fetch: marked({ ...MARK, ...more }) });
  const [name, ...value] = (session ?? '').split('=');
  return {
    url,
    firsthand: client(key, {}),
    // The service takes a cookie only from a page of its own; this program stands in for the page.
    person: session ? client(null, { cookie: session, 'sec-fetch-site': 'same-origin' }) : null,
    secrets: [key, ...(name ? [value.join('=')] : [])],
    isRefused: false,
  };
}

const marked =
  (more: Record<string, string>): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return fetch(input, { ...init, headers });
  };

/** Says in a sentence why a tool failed. The texts are the service's and ours: none is a claimant's. */
export function sentenceOf(error: unknown, service: Service): string {
  if (error instanceof ToolError) return error.message;
  if (error instanceof ApiError) {
    if (error.status === 401) service.isRefused = true;
    const faults = (error.fields ?? []).map(({ path, message }) => `${path} ${message}`);
    return [`${error.code}: ${error.message}`, ...faults].join('\n');
  }
  if (error instanceof FirsthandError) return `${error.code ?? 'failed'}: ${error.message}`;
  console.error(error);
  return 'The tool failed. The log of the MCP server says why.';
}

/** A refusal of ours, in words for the model. */
export class ToolError extends Error {
  override name = 'ToolError';
}
