import { isId } from '@firsthand/contract/base/ids.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addressPermit, takePermits } from '../../identity/auth/limits.ts';
import { transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type PlainPage, policyHash, sendPlainPage } from '../../platform/http/plain-page.ts';
import { servedModes } from '../../platform/http/principal.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';
import { issue } from '../verifications/issue.ts';
import { findTemplate, requestOf } from './row.ts';

/** Submits the form for the visitor. It runs before the page has loaded, so the browser's Back button skips this page. */
const SCRIPT = 'document.forms[0].submit()';
const BUSY: PlainPage = {
  status: 429,
  title: 'A moment, please',
  lines: ['This link was opened very often from your network just now. Wait a minute, then open it again.'],
};
const BROKEN: PlainPage = {
  status: 500,
  title: 'The link could not be opened',
  lines: ['Something failed on our side; nothing is lost. Open the link again in a minute.'],
};

const OPEN: PlainPage = {
  status: 200,
  title: 'Your photo link',
  lines: ['The camera page opens by itself. If it does not, press Start.'],
};

/** User agents of link previewers and scanners. A person whose browser matches by mistake still gets through with the page's button. */
const READERS =
  /facebookexternalhit|facebot|whatsapp|slackbot|slack-imgproxy|telegrambot|twitterbot|linkedinbot|discordbot|skypeuripreview|viber|kakaotalk-scrap|line-poker|vkshare|redditbot|pinterest|mattermost|rocket\.chat|iframely|embedly|googlebot|google-inspectiontool|google-pagerenderer|googleimageproxy|bingbot|bingpreview|applebot|yandexbot|duckduckbot|barracuda|proofpoint|mimecast|trendmicro/i;

/** What a browser asks for when a person opens an address; undefined from older ones. An image or script with the address opens nothing. */
const PAGES: readonly unknown[] = [undefined, 'document', 'iframe', 'frame'];

/** The page that link previewers get. Its form starts a verification; previewers run no script and press no button. */
function landing(reply: FastifyReply, capture: string): FastifyReply {
  // Browsers also check the redirect target of the form against `form-action`.
  const actions = `form-action 'self' ${new URL(capture).origin}`;
  const html = `<form method="post"><button>Start</button></form><script>${SCRIPT}</script>`;
  return sendPlainPage(reply, { ...OPEN, more: { html, policy: [`script-src ${policyHash(SCRIPT)}`, actions] } });
}

/**
 * Serves the address of a link template. Each opening creates a verification from the current version and redirects to its capture page.
 * HEAD, a browser's prefetch, link previewers and pictures with the address create nothing.
 * `showEnd` shows the capture page in its final state, with no verification behind it.
 */
export function registerLinks(
  app: FastifyInstance,
  deps: Pick<Deps, 'config' | 'db' | 'origins' | 'clock'>,
  limiter: Limiter,
  showEnd: (reply: FastifyReply, end: 'unknown' | 'revoked') => FastifyReply,
): void {
  app.get<{ Params: { id: string } }>('/t/:id/', async ({ params }, reply) =>
    reply.redirect(`../${encodeURIComponent(params.id)}`, 308),
  );
  app.route({
    method: ['GET', 'HEAD', 'POST'],
    url: '/t/:id',
    onRequest: async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      reply.header('x-robots-tag', 'noindex');
    },
    errorHandler: (error, request, reply) => {
      if (error instanceof Problem && error.code === 'too_many_requests') {
        reply.header('retry-after', String(error.retryAfterSeconds));
        return sendPlainPage(reply, BUSY);
      }
      request.log.error({ err: error }, 'a link template could not be opened');
      return sendPlainPage(reply, BROKEN);
    },
    handler: async (request, reply) => {
      const { 'user-agent': agent = '', 'sec-fetch-dest': wanted } = request.headers;
      const reads = request.method === 'HEAD' || READERS.test(agent) || !PAGES.includes(wanted);
      const opens = request.method === 'POST' || !reads;
      const permits = [addressPermit('address', request.ip), ...(opens ? [addressPermit('link', request.ip)] : [])];
      await takePermits(limiter, reply, permits);
      const { id } = request.params as { id: string };
      const template = isId('tpl', id) ? await findTemplate(deps.db, id) : undefined;
      if (!template || !servedModes(deps.config.mode).includes(template.livemode)) {
        return showEnd(reply.code(404), 'unknown');
      }
      if (template.status === 'revoked') return showEnd(reply.code(410), 'revoked');
      // The browser prefetches on a guess: reject, so that it asks again when the person opens the link.
      if (/\bprefetch\b/.test(String(request.headers['sec-purpose'] ?? ''))) return reply.code(503).send();
      if (!opens) return landing(reply, deps.origins.capture);
      const row = await transaction(deps.db, tx =>
        issue(tx, deps, {
          tenantId: template.tenant_id,
          livemode: template.livemode,
          request: requestOf(template),
          template: { id: template.id, version: template.version, retentionDays: template.retention_days },
        }),
      );
      return reply.redirect(`${deps.origins.capture}/v/${row.id}`, 303);
    },
  });
}
