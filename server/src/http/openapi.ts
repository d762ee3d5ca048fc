import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** The interface description, made from the very schemas that validate; `/v1/openapi.json` and `/docs`. */
export async function registerOpenapi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Firsthand',
        version: '0.1.0',
        description: 'Photo evidence that can be believed: capture links, fraud verdicts, signed webhooks.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          api_key: { type: 'http', scheme: 'bearer', description: 'pk_live_…, pk_test_… or rk_secret_…' },
        },
      },
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { docExpansion: 'list', deepLinking: true },
  });
  app.get('/v1/openapi.json', { schema: { hide: true } as object }, async () => app.swagger());
}
