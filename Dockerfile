# syntax=docker/dockerfile:1
# docs/image.md: how to build it for two processors, what is in it, and what was tried.
ARG NODE=24.21.0
FROM node:${NODE}-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-progress && npm run build && node scripts/trim.ts --delete

FROM node:${NODE}-bookworm-slim AS node

# Debian with the one Node.js: the image of Node.js adds npm, yarn and headers that a server does not use.
FROM debian:12.14-slim
# The day in /etc/shadow. What names the hour of the build is deleted below.
ARG SOURCE_DATE_EPOCH
RUN apt-get update \
  && apt-get upgrade -y \
  && apt-get install -y --no-install-recommends tini \
  && useradd --uid 1000 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin node \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/* /var/log/*
COPY --from=node /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build --chown=root:root /app .
# Writable: DATA_DIR and /tmp. The rest may be a read-only file system.
RUN mkdir -p /data && chown node:node /data
VOLUME /data
ARG REVISION=
RUN [ -z "$REVISION" ] || echo "$REVISION" > server/commit.txt
# By number, so that Kubernetes sees that it is not root.
USER 1000:1000
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0 MALLOC_ARENA_MAX=2
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || process.env.WORKER_PORT || 8080}/readyz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "server/bin/firsthand.mjs"]
CMD ["all"]

ARG VERSION=0.1.0
ARG CREATED=
LABEL org.opencontainers.image.title="Firsthand" \
  org.opencontainers.image.description="Asks people for photos and says whether each shows the real thing" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"
