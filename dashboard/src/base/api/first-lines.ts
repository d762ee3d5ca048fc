import { readSheet } from '@firsthand/contract/sheet/read-sheet.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { errorFromResponse, NetworkError } from '@firsthand/sdk/capture/errors.ts';

/** The first lines of a CSV that the service streams, without its heading. The file may be long: the rest is not read. */
export async function firstLines(path: string, count: number, signal: AbortSignal): Promise<string[][]> {
  const stop = new AbortController();
  const response = await fetch(ROOT + path, {
    credentials: 'same-origin',
    signal: AbortSignal.any([signal, stop.signal]),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new NetworkError(error);
  });
  if (!response.ok) throw await errorFromResponse(response);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let whole = false;
  while (text.split('\n').length < count + 2) {
    const { value, done } = await reader.read();
    if (done) {
      whole = true;
      break;
    }
    text += value;
  }
  stop.abort();
  const lines = whole ? text : text.slice(0, text.lastIndexOf('\n'));
  return readSheet(lines)
    .slice(1, count + 1)
    .map(({ cells }) => cells);
}
