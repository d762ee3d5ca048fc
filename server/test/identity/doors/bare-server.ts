/**
 * The yardstick of `hostile-bodies.test.ts`: a Node.js server that does with the largest honest capture what any server must, and
 * nothing else. It receives two pictures of 6 MB as base64 in JSON, parses them, and decodes them.
 *
 *   fork('bare-server.ts')   its first message is its address
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const fields = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, string>;
  const lengths = Object.values(fields).map(base64 => Buffer.from(base64, 'base64').length);
  response.end(JSON.stringify(lengths));
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
