import type { ErrorCode, Fault } from '@firsthand/contract/errors.ts';
import type { Role } from '@firsthand/contract/people.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Tx } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import type { CredentialKind, Principal } from './principal.ts';
import type { Tag } from './tags.ts';

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One request, checked: the credential, the target, the body and the query are right when a handler sees it. */
export interface Call<B, Q, P> {
  deps: Deps;
  principal: P;
  params: Record<string, string>;
  body: B;
  /** The base64 of the image fields that were sent, as it stands in the JSON: `lib/base64.ts` decodes it. */
  images: ReadonlyMap<string, Buffer>;
  query: Q;
  /** The sender's address behind the trusted proxies. */
  ip: string;
  idempotencyKey: string | undefined;
  /** Stores the answer for the request's Idempotency-Key in the transaction of the fact, so that both or neither last. */
  keepAnswer(tx: Tx, answer: Answer): Promise<void>;
  /** Whether the caller may still ask: an answer that goes on for long looks again. */
  stillAdmitted(): Promise<boolean>;
  /** Counts a try to sign in as one account, named by anything that tells it from others. Throws 429. */
  limitAccount(way: string, account: string): Promise<void>;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A request whose caller and target are known to be right; its body may be anything. */
export interface Asked {
  deps: Deps;
  principal: Principal | null;
  params: Record<string, string>;
  body: unknown;
  query: unknown;
}

interface Common<B extends TSchema, Q extends TSchema> {
  /** The name a client generator gives the call. Published: a change breaks those clients. */
  operationId: string;
  summary: string;
  description?: string;
  tag: Tag;
  query?: Q;
  body?: B;
  /** The request may come without a body; the handler is then given undefined. */
  bodyOptional?: boolean;
  /** Faults that the schema cannot say, reported together with its own. */
  faults?: (body: unknown) => Fault[];
  /** Faults that only the caller or the stored record can tell, reported together with the others. */
  recordFaults?: (request: Asked) => Fault[] | Promise<Fault[]>;
  /** Status to schema; null has no body. */
  responses: Record<number, TSchema | null>;
  /** Codes beyond those that every endpoint of its kind may answer with; see `openapi.ts`. */
  /** Of the successful answers; JSON unless said otherwise. A stream does not end by itself. */
  mediaType?: 'text/event-stream' | 'image/png' | 'application/zip';
  errors?: readonly ErrorCode[];
  bodyLimitBytes?: number;
  /** Members of the body that hold a picture in base64: they alone may be long. The parsed body has a placeholder there. */
  imageFields?: readonly string[];
  /** The path holds a verification id in this parameter: an unknown or foreign one is 404 before the body is looked at. */
  target?: 'id' | 'token';
  /** Whether what the path names is there for this caller: asked before the body is looked at, 404 when it is not. */
  exists?: (call: { deps: Deps; principal: Principal; params: Record<string, string> }) => Promise<boolean>;
  /** Members of the answer that are secrets. What is kept for a replay is the answer without them. */
  secretAnswer?: readonly string[];
  /** Adds presigned links to the body of an answer, after what is kept for a replay was taken: no link is ever stored. */
  links?: (deps: Deps, body: unknown) => Promise<unknown>;
  /** A limit per address beside the usual ones. */
  addressLimit?: 'trial' | 'sign_in';
  /** The least role a signed-in person needs; `viewer` unless said otherwise. */
  role?: Role;
  /** A signed-in person must have signed in within the last 15 minutes. */
  recent?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What one file declares: everything about an operation but where it is found. */
export type Operation = OperationFor<TSchema, TSchema, boolean>;

/** An operation at its place in the API. `:name` in the path is a parameter. */
export type Endpoint = Operation & { method: Method; path: string };

type OperationFor<B extends TSchema, Q extends TSchema, A extends boolean> = Common<B, Q> & {
  credentials: readonly CredentialKind[];
  handler: (call: Call<Static<B>, Static<Q>, A extends true ? Principal : Principal | null>) => Promise<Answer>;
};

/** An endpoint of a tenant: the handler is given a principal. */
export function tenantEndpoint<B extends TSchema, Q extends TSchema>(operation: OperationFor<B, Q, true>): Operation {
  return operation as unknown as Operation;
}

/** An endpoint that needs no principal: possession of the id in the path, or nothing. */
export function openEndpoint<B extends TSchema, Q extends TSchema>(operation: OperationFor<B, Q, false>): Operation {
  return operation as unknown as Operation;
}

/** The endpoints of a table from `METHOD /path` to the operation. */
export const routes = (table: Readonly<Record<`${Method} /${string}`, Operation>>): Endpoint[] =>
  Object.entries(table).map(([place, operation]) => {
    const [method, path] = place.split(' ') as [Method, string];
    return { ...operation, method, path };
  });

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };
