/** The program of docs/webhooks.md, which the tests run. */
export const RECEIVER = `import { createServer } from 'node:http';
import { verifyWebhook } from '@firsthand/sdk/webhooks';

createServer(async (request, response) => {
  try {
    const parts = [];
    for await (const part of request) parts.push(part);
    const event = await verifyWebhook(Buffer.concat(parts), request.headers, process.env.WEBHOOK_SECRET);
    console.log(event.type, event.data.id);
    response.writeHead(204).end();
  } catch (error) {
    console.log(\`refused: \${error.message}\`);
    response.writeHead(400).end();
  }
}).listen(3000);
`;
