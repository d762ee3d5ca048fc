import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Options } from '../../src/platform/blobs/s3.ts';

/** What the bucket does with `If-None-Match: *` on a PUT. The last one keeps the promise. */
export type Conditions = 'unknown' | 'refused' | 'ignored' | 'kept';

export interface BucketServer {
  options: S3Options;
  objects: Map<string, Buffer>;
  conditions: Conditions;
  /** The headers of its CORS rule; null: no rule. */
  cors: Record<string, string> | null;
  /** PUT requests so far. */
  puts(): number;
  close(): Promise<void>;
}

/** A bucket as some services have it: it takes any signature and differs in its conditions. */
export async function startBucketServer(conditions: Conditions): Promise<BucketServer> {
  const objects = new Map<string, Buffer>();
  let puts = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url!.split('?')[0]!;
      const end = (status: number, text = '', headers = {}) =>
        response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(text);
      const fault = (status: number, code: string) =>
        end(status, `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
      if (request.method === 'OPTIONS') return bucket.cors ? end(200, '', bucket.cors) : fault(403, 'CORSForbidden');
      if (request.method === 'PUT') {
        puts += 1;
        if (request.headers['if-none-match'] === '*') {
          if (bucket.conditions === 'unknown') return fault(501, 'NotImplemented');
          if (bucket.conditions === 'refused') return fault(400, 'NotImplemented');
          if (bucket.conditions === 'kept' && objects.has(path)) return fault(412, 'PreconditionFailed');
        }
        objects.set(path, Buffer.concat(chunks));
        return end(200, '', { etag: '"1"' });
      }
      if (request.method === 'DELETE') {
        objects.delete(path);
        return end(204);
      }
      if (path === '/pictures' || path === '/pictures/') return end(200);
      const found = objects.get(path);
      return found ? end(200, request.method === 'HEAD' ? '' : found.toString('latin1')) : fault(404, 'NoSuchKey');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const bucket: BucketServer = {
    options: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bucket: 'pictures',
      region: 'us-east-1',
      accessKeyId: 'testkey',
      secretAccessKey: 'testsecret',
      forcePathStyle: true,
    },
    objects,
    conditions,
    cors: null,
    puts: () => puts,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return bucket;
}
