import { AnnouncedFilm, FilmAnnouncement } from '@firsthand/contract/verification/presence.ts';
import { one } from '../../platform/db/sql.ts';
import { created, openEndpoint } from '../../platform/http/endpoint.ts';
import { invalidField } from '../../platform/http/problem.ts';
import { readKept } from '../verifications/advance.ts';
import { CAPTURE_ROUTE } from './accepting.ts';

export const announceFilm = openEndpoint({
  operationId: 'announceFilm',
  summary: 'Announce the film of a camera session',
  description:
    'Sends the hashes of photo and film as soon as both are made, before the bytes. The service notes the time by its own clock: a film ' +
    'that it hears of after `expires_at` counts as late. The first announcement of a challenge counts; repeat it as often as you need.',
  ...CAPTURE_ROUTE,
  body: FilmAnnouncement,
  responses: { 201: AnnouncedFilm },
  errors: ['redacted'],
  async handler({ deps, params, body }) {
    const row = await readKept(deps, params.token!);
    const { challenge_id } = body;
    const hashes = [body.image_sha256, body.trace_sha256].map(hash => hash.toLowerCase());
    await deps.db.query(
      `update challenges set announced_at = $3, image_sha256 = $4, trace_sha256 = $5
       where id = $1 and verification_id = $2 and announced_at is null`,
      [challenge_id, row.id, deps.clock.now(), ...hashes],
    );
    const noted = await one<{ announced_at: Date; image_sha256: string; trace_sha256: string }>(
      deps.db,
      'select announced_at, image_sha256, trace_sha256 from challenges where id = $1 and verification_id = $2',
      [challenge_id, row.id],
    );
    if (!noted) throw invalidField('challenge_id', 'unknown_reference', 'is not a challenge of this verification');
    if (noted.image_sha256 !== hashes[0] || noted.trace_sha256 !== hashes[1]) {
      throw invalidField('challenge_id', 'conflict', 'was announced with another photo or film');
    }
    return created({ challenge_id, announced_at: noted.announced_at.toISOString() });
  },
});
