import { until } from '../support/harness.ts';

export interface Message<Data> {
  event: string;
  id: string;
  data: Data;
}

/** Opens a stream of server-sent events and collects them until closed. Resolves at the first one, or at the end. */
export async function followEvents<Data>(service: { url: string }, path: string, headers: Record<string, string>) {
  const ending = new AbortController();
  const answer = await fetch(service.url + path, { headers, signal: ending.signal });
  const messages: Message<Data>[] = [];
  let over = false;
  const ended = (async () => {
    let rest = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const event = field('event');
        if (event) messages.push({ event, id: field('id') ?? '', data: JSON.parse(field('data') ?? '{}') });
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      over = true;
    });
  await until(async () => messages.length > 0 || over, 'the stream to be ready');
  return {
    answer,
    messages,
    ended,
    isOver: () => over,
    async close() {
      ending.abort();
      await ended;
    },
  };
}
