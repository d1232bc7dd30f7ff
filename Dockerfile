# The Rust core and TypeScript are built with the commands of package.json; the runtime has neither.
FROM node:22-bookworm-slim AS node

FROM rust:1-bookworm AS core
COPY --from=node /usr/local/bin /usr/local/bin
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
WORKDIR /attune
COPY package.json ./
COPY native ./native
RUN npm run build:native

FROM node AS packages
WORKDIR /attune
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY native ./native
COPY src ./src
COPY workers ./workers
RUN npm run build:typescript
# uWebSockets.js brings binaries for every platform; the image keeps its own
RUN npm prune --omit=dev && find node_modules/uWebSockets.js/dist/bin -name '*.node' \
  ! -name "uws_linux_$(node -p process.arch)_$(node -p process.versions.modules).node" -delete

FROM node:22-bookworm-slim AS runtime
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /attune
COPY --from=packages /attune/package.json ./
COPY --from=packages /attune/node_modules ./node_modules
COPY --from=packages /attune/dist ./dist
COPY --from=core /attune/native/attune.node ./native/attune.node
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--single-threaded-gc", "--no-memory-reducer", "--max-semi-space-size=4", "dist/src/main.js"]
