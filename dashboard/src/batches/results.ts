import { firstLines } from '../base/api/first-lines.ts';

interface Result {
  row: string;
  id: string;
  url: string;
  error: string;
  name: string;
}

const SHOWN = 50;

/** The first rows of a batch's results. */
export async function firstResults(batchId: string, signal: AbortSignal): Promise<Result[]> {
  const lines = await firstLines(`/v1/batches/${encodeURIComponent(batchId)}/results`, SHOWN, signal);
  return lines.map(([row = '', id = '', url = '', error = '', name = '']) => ({ row, id, url, error, name }));
}
