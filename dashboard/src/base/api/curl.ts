import { ROOT } from '@firsthand/look/root.ts';

/** One request of the API, as an action of the page makes it. */
export interface Request {
  /** Method and path: `GET /v1/me`. */
  to: string;
  body?: unknown;
  /** The body is a file that the reader has. */
  file?: { name: string; type: string };
}

/** Quotes for a POSIX shell: nothing inside has a meaning, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", () => `'\\''`)}'`;

/** The request as a command line. The reader sets FIRSTHAND_KEY: the page knows no key. */
export function curlOf({ to, body, file }: Request, origin: string): string {
  const [method, path] = to.split(/ (.*)/) as [string, string];
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + ROOT + path)}`,
    '-H "Authorization: Bearer $FIRSTHAND_KEY"',
  ];
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  if (file) parts.push(`-H ${quoted(`Content-Type: ${file.type}`)}`, `--data-binary ${quoted(`@${file.name}`)}`);
  return parts.join(' \\\n  ');
}
