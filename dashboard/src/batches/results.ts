import { errorFromResponse, NetworkError } from '@firsthand/sdk/capture/errors.ts';
import { parse } from 'papaparse';

interface Result {
  row: string;
  id: string;
  url: string;
  error: string;
}

const SHOWN = 50;

/** The first rows of a batch's results. The file may have fifty thousand: the rest is not read. */
export async function firstResults(batchId: string, signal: AbortSignal): Promise<Result[]> {
  const stop = new AbortController();
  const response = await fetch(`/v1/batches/${encodeURIComponent(batchId)}/results`, {
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
  while (text.split('\n').length < SHOWN + 2) {
    const { value, done } = await reader.read();
    if (done) {
      whole = true;
      break;
    }
    text += value;
  }
  stop.abort();
  const lines = whole ? text : text.slice(0, text.lastIndexOf('\n'));
  return parse<string[]>(lines, { skipEmptyLines: true })
    .data.slice(1, SHOWN + 1)
    .map(([row = '', id = '', url = '', error = '']) => ({ row, id, url, error }));
}
