import type { KeyScope } from '@firsthand/contract/account/key-scopes.ts';
import type { ErrorCode } from '@firsthand/contract/base/errors.ts';
import type { Fault } from '@firsthand/contract/base/fault.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Tx } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { isRecord } from '../lib/ask-json.ts';
import type { Permit } from '../limits/limiter.ts';
import type { CredentialKind, Principal } from './principal.ts';
import type { Tag } from './tags.ts';

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One checked request. When a handler runs, the credential, the target, the body and the query are valid. */
export interface Call<B, Q, P> {
  deps: Deps;
  principal: P;
  params: Record<string, string>;
  body: B;
  /** The base64 of the image fields exactly as the JSON holds it; `platform/lib/base64.ts` decodes it. */
  images: ReadonlyMap<string, Buffer>;
  query: Q;
  /** The sender's address, as the trusted proxies report it. */
  ip: string;
  idempotencyKey: string | undefined;
  /**
   * Stores the answer for the request's Idempotency-Key in the same transaction as the fact: both are kept, or neither.
   */
  keepAnswer(tx: Tx, answer: Answer): Promise<void>;
  /** Whether the caller's credential is still valid. A long-running answer checks it again. */
  stillAdmitted(): Promise<boolean>;
  /** Counts an attempt to sign in to one account; `account` is any text that identifies it. Throws 429. */
  limitAccount(way: string, account: string): Promise<void>;
  /** Counts a link of a verification that is sent to this address or number. Throws 429. */
  limitMessages(verificationId: string, to: string): Promise<void>;
  /** Counts bytes of a picture in these windows. Throws 429. */
  spendBytes(permits: readonly Permit[], bytes: number): Promise<void>;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A request whose caller and target are valid. Its body may be anything. */
export interface Asked {
  deps: Deps;
  principal: Principal | null;
  params: Record<string, string>;
  body: unknown;
  query: unknown;
}

type MediaType =
  | 'text/event-stream'
  | 'image/*'
  | 'image/png'
  | 'image/jpeg'
  | 'application/zip'
  | 'text/csv'
  | 'application/x-ndjson';

interface Common<B extends TSchema, Q extends TSchema> {
  /** The name that client generators give the call. It is published: a change breaks those clients. */
  operationId: string;
  summary: string;
  description?: string;
  tag: Tag;
  query?: Q;
  body?: B;
  /** The request may come without a body; the handler then gets undefined. */
  bodyOptional?: boolean;
  /** Faults that the schema cannot express, reported together with the schema's own. */
  faults?: (body: unknown) => Fault[];
  /** Faults that depend on the caller or the stored record, reported together with the others. */
  recordFaults?: (request: Asked) => Fault[] | Promise<Fault[]>;
  /** Members of the body that this caller may not send. Runs on the parsed body before its faults are looked for; any is 403. */
  membersRefused?: (request: Asked) => Promise<Fault[]>;
  /** Schemas by status; null: no body. */
  responses: Record<number, TSchema | null>;
  /** The media type of successful answers, or those a caller chooses from; default JSON. A stream does not end by itself. */
  mediaType?: MediaType | readonly MediaType[];
  /** Error codes beyond those of every endpoint of its kind; see `openapi.ts`. */
  errors?: readonly ErrorCode[];
  bodyLimitBytes?: number;
  /** The handler reads `request.received.raw` itself, a slice at a time; `body` describes its JSON form, `bodyTypes` others. */
  readsBody?: boolean;
  /** Media types beside JSON that the handler reads. */
  bodyTypes?: readonly string[];
  /**
   * Members of the body that hold a picture in base64. Only these may be long. The parsed body has a placeholder in
   * their place.
   */
  imageFields?: readonly string[];
  /** The path parameter that holds a verification id. An unknown or foreign id is 404 before the body is read. */
  target?: 'id' | 'token' | 'verification_id';
  /** Whether the object in the path exists for this caller. Runs before the body is read; false is 404. */
  exists?: (call: { deps: Deps; principal: Principal; params: Record<string, string> }) => Promise<boolean>;
  /** Secret members of the answer. The answer kept for a replay omits them. */
  secretAnswer?: readonly string[];
  /** Adds presigned links to the body of an answer after the copy for a replay was taken, so no link is ever stored. */
  links?: (deps: Deps, body: unknown) => Promise<unknown>;
  /** An extra limit per address. */
  addressLimit?: 'trial' | 'sign_in';
  /**
   * Acts as the person with the camera. The id in the path opens it, but it refuses the browser of somebody of the account
   * who may not create verifications.
   */
  asClaimant?: boolean;
  /** Keys with scopes need this one; without it, the endpoint takes none of them. */
  scope?: KeyScope;
  /** The least role a signed-in person needs; default `viewer`. */
  role?: Role;
  /** A signed-in person must have signed in within the last 15 minutes. */
  recent?: boolean;
  /** The same for a body that says one of these things. */
  recentFor?: readonly BodyRule[];
}

/** Applies to a body that has `member`, a path like `request.webhook_url`; with `is`, only where it has this value. */
export interface BodyRule {
  member: string;
  is?: unknown;
  /** The least role a person needs to say so; default: the endpoint's. */
  role?: Role;
}

/** Returns the rules that a body falls under. The body was parsed but not checked. */
export const rulesFor = ({ recentFor = [] }: Pick<Endpoint, 'recentFor'>, body: unknown): BodyRule[] =>
  recentFor.filter(({ member, is }) => {
    let value = body;
    for (const name of member.split('.')) value = isRecord(value) ? value[name] : undefined;
    return is === undefined ? value !== undefined : value === is;
  });

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The declaration of one endpoint file: everything about an operation except its place in the API. */
export type Operation = OperationFor<TSchema, TSchema, boolean>;

/** An operation at its place in the API. `:name` in the path is a parameter. */
export type Endpoint = Operation & { method: Method; path: string };

type OperationFor<B extends TSchema, Q extends TSchema, A extends boolean> = Common<B, Q> & {
  credentials: readonly CredentialKind[];
  handler: (call: Call<Static<B>, Static<Q>, A extends true ? Principal : Principal | null>) => Promise<Answer>;
};

/** Declares an endpoint of a tenant: the handler gets a principal. */
export function tenantEndpoint<B extends TSchema, Q extends TSchema>(operation: OperationFor<B, Q, true>): Operation {
  return operation as unknown as Operation;
}

/** Declares an endpoint without a principal. It requires possession of the id in the path, or nothing. */
export function openEndpoint<B extends TSchema, Q extends TSchema>(operation: OperationFor<B, Q, false>): Operation {
  return operation as unknown as Operation;
}

/** Converts a table from `METHOD /path` to operation into endpoints. */
export const routes = (table: Readonly<Record<`${Method} /${string}`, Operation>>): Endpoint[] =>
  Object.entries(table).map(([place, operation]) => {
    const [method, path] = place.split(' ') as [Method, string];
    return { ...operation, method, path };
  });

/** The schema of an answer in bytes. Generators read `format` (OpenAPI 3.0) or `contentMediaType` (3.1). */
export const binary = (mediaType: 'application/zip' | 'image/png' | 'image/jpeg') =>
  Type.String({ format: 'binary', contentMediaType: mediaType });

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };
