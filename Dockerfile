# syntax=docker/dockerfile:1
# Built and run by hand (docs/go-live.md), not in CI: no container engine runs there. `docker build -t firsthand .`
FROM node:24.11-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-progress && npm run build && npm prune --omit=dev --no-progress

FROM node:24.11-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends tesseract-ocr tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build --chown=root:root /app .
# Writable: DATA_DIR and /tmp. The rest may be a read-only file system.
RUN mkdir -p /data && chown node:node /data
VOLUME /data
USER node
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0 MALLOC_ARENA_MAX=2
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || process.env.WORKER_PORT || 8080}/readyz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "server/bin/firsthand.mjs"]
CMD ["all"]
