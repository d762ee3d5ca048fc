import { type Fault, fault } from '@firsthand/contract/base/fault.ts';
import { EXPIRES_IN_SECONDS, METADATA_MAX_KEYS } from '@firsthand/contract/base/limits.ts';
import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { AppPrincipal } from '../../platform/http/principal.ts';
import { Problem } from '../../platform/http/problem.ts';
import { isRecord } from '../../platform/lib/ask-json.ts';
import { requiredBy } from './account-defaults.ts';
import { expectationsOf, type Issue } from './issue.ts';

// Whoever takes an app apart has its key. So the account decides, by the link template that the key is bound to, what is
// checked, who is told and what the page shows. The key's holder only names the case.

type Request = CreateVerificationRequest;

/** The current version of the link template that a key is bound to. */
interface AppTemplate {
  id: string;
  version: number;
  status: 'active' | 'revoked';
  request: Request;
  retention_days: number | null;
}

const templateOfApp = (db: Queryable, { templateId }: AppPrincipal): Promise<AppTemplate | undefined> =>
  one<AppTemplate>(
    db,
    `select t.id, t.version, t.status, v.request, v.retention_days
     from link_templates t join link_template_versions v on v.template_id = t.id and v.version = t.version where t.id = $1`,
    [templateId],
  );

const MEMBERS = ['metadata', 'expected_info', 'expires_in_seconds'];
/** Members that can only add to what is asked for. A key without a template may send these too. */
const ADDING = [
  'max_captures',
  'steps',
  'signals_required',
  'expected_location',
  'expected_object',
  'condition_aspects',
];

/** The members of a body that a key for apps may not send. Takes any body: its shape is checked later. */
export async function membersRefusedToApp(db: Queryable, app: AppPrincipal, body: unknown): Promise<Fault[]> {
  if (!isRecord(body)) return [];
  const template = await templateOfApp(db, app);
  const faults = template ? outsideTemplate(template.request, body) : await belowDefaults(db, app.tenantId, body);
  if (isRecord(body.metadata) && body.metadata.test_outcome !== undefined) {
    faults.push(fault('metadata.test_outcome', 'not_allowed', 'cannot be set with a key for apps'));
  }
  return faults;
}

const BY_TEMPLATE = 'is decided by the link template of this key';

function outsideTemplate(template: Request, body: Record<string, unknown>): Fault[] {
  const faults = unknownTo(MEMBERS, body, BY_TEMPLATE);
  const most = template.expires_in_seconds ?? EXPIRES_IN_SECONDS.default;
  if (typeof body.expires_in_seconds === 'number' && body.expires_in_seconds > most) {
    const message = `must be at most ${most}, as in the link template of this key`;
    faults.push(fault('expires_in_seconds', 'too_large', message, { max: most }));
  }
  faults.push(...replaced('metadata', template.metadata, body.metadata));
  if (isRecord(body.expected_info)) {
    const { subject } = body.expected_info;
    const { person, ...expected } = expectationsOf(template);
    faults.push(...unknownTo(['subject'], body.expected_info, BY_TEMPLATE, 'expected_info.'));
    faults.push(...replaced('expected_info.subject', expected, subject));
    if (isRecord(subject)) faults.push(...replaced('expected_info.subject.person', person, subject.person));
  }
  return faults;
}

/** Members that the template has with another value. */
const replaced = (path: string, fixed: object | undefined, sent: unknown): Fault[] =>
  isRecord(sent)
    ? Object.entries(fixed ?? {})
        .filter(([name, value]) => sent[name] !== undefined && JSON.stringify(sent[name]) !== JSON.stringify(value))
        .map(([name]) => fault(`${path}.${name}`, 'not_allowed', BY_TEMPLATE))
    : [];

const unknownTo = (known: readonly string[], sent: Record<string, unknown>, message: string, before = ''): Fault[] =>
  Object.keys(sent)
    .filter(name => !known.includes(name))
    .map(name => fault(`${before}${name}`, 'not_allowed', message));

/** What would check less than the account's defaults, tell somebody, or put words on the account's page. */
async function belowDefaults(db: Queryable, tenantId: string, body: Record<string, unknown>): Promise<Fault[]> {
  const faults = unknownTo([...MEMBERS, ...ADDING], body, 'is decided by the settings of the account for this key');
  const { signals_required, steps } = body;
  if (Array.isArray(signals_required)) {
    const missing = (await requiredBy(db, tenantId, {})).filter(name => !signals_required.includes(name));
    if (missing.length > 0) {
      const message = `must hold the account's own too: ${missing.join(', ')}`;
      faults.push(fault('signals_required', 'not_allowed', message, { missing }));
    }
  }
  for (const [index, step] of (Array.isArray(steps) ? steps : []).filter(isRecord).entries()) {
    const refuse = (member: string, message: string) =>
      faults.push(fault(`steps.${index}.${member}`, 'not_allowed', message));
    if (step.type === 'upload') refuse('type', 'cannot be upload: this key asks for live photos only');
    for (const shown of ['description', 'descriptions', 'example_picture'])
      if (step[shown] !== undefined) refuse(shown, 'cannot be set with this key: the page would show it');
  }
  return faults;
}

/** Metadata that is too much only together with the template's. */
export async function metadataFaultsOfApp(
  db: Queryable,
  app: AppPrincipal,
  body: Record<string, unknown>,
): Promise<Fault[]> {
  const fixed = (await templateOfApp(db, app))?.request.metadata;
  if (!fixed || !isRecord(body.metadata)) return [];
  const count = Object.keys({ ...body.metadata, ...fixed }).length;
  if (count <= METADATA_MAX_KEYS) return [];
  const message = `must have at most ${METADATA_MAX_KEYS} keys with those of the link template`;
  return [fault('metadata', 'too_many', message, { max: METADATA_MAX_KEYS })];
}

/**
 * The request of a key's holder, completed by the key's link template. Call it only with what {@link membersRefusedToApp} lets through.
 * Throws `template_revoked`.
 */
export async function requestOfApp(
  db: Queryable,
  app: AppPrincipal,
  sent: Request,
): Promise<Pick<Issue, 'request' | 'template'>> {
  const template = await templateOfApp(db, app);
  if (!template) return { request: sent };
  if (template.status === 'revoked')
    throw new Problem('template_revoked', 'The link template of this key was revoked. Create a key for another one.');
  const { id, version, retention_days: retentionDays } = template;
  return { request: completed(template.request, sent), template: { id, version, retentionDays } };
}

function completed(template: Request, sent: Request): Request {
  const { expected_info, metadata } = template;
  const [fixed, own] = [expectationsOf(template), sent.expected_info?.subject];
  const person = { ...own?.person, ...fixed.person };
  return {
    ...template,
    ...(sent.expires_in_seconds === undefined ? {} : { expires_in_seconds: sent.expires_in_seconds }),
    ...(metadata || sent.metadata ? { metadata: { ...sent.metadata, ...metadata } } : {}),
    ...(expected_info || own
      ? {
          expected_info: {
            ...expected_info,
            subject: { ...own, ...fixed, ...(Object.keys(person).length > 0 ? { person } : {}) },
          },
        }
      : {}),
  };
}

/** The answer to an app: what the page needs, and the metadata that the app sent. The rest of the template is the account's. */
export function presentToApp(view: Verification, { metadata }: Request): Verification {
  const { max_captures, steps, signals_required, depth_policy } = view.config;
  return {
    ...view,
    config: {
      max_captures,
      steps,
      signals_required,
      ...(depth_policy === undefined ? {} : { depth_policy }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  };
}
