import { openAuthority } from '../../../stamps/test/authority.ts';
import type { TestService } from './harness.ts';
import { bodyOf, openServer } from './local-server.ts';

/** Runs `work` with a time-stamping authority at TSA_URL that answers as long as `answers` is true. */
export async function withAuthority(
  service: TestService,
  work: (o: { root: string; answers: boolean }) => Promise<void>,
): Promise<void> {
  const authority = openAuthority();
  const o = { root: authority.root, answers: true };
  const server = await openServer(async (request, response) => {
    const body = await bodyOf(request);
    if (o.answers) response.end(authority.reply(body));
    else response.writeHead(500).end();
  });
  const before = service.deps.config.tsaUrl;
  service.deps.config.tsaUrl = `${server.url}/`;
  try {
    await work(o);
  } finally {
    service.deps.config.tsaUrl = before;
    authority.close();
    await server.close();
  }
}
