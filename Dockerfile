# One file for every platform, each built on itself: what belongs into the image is found by loading it (docs/deployment.md).
# The base by digest, so that the same commit makes the same image; a new one is a change like any other (docs/operations.md).
FROM node:24-trixie-slim@sha256:c319bb4fac67c01ced508b67193a0397e02d37555d8f9b72958649efd302b7f8 AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY schemas ./schemas
COPY src ./src
COPY workers ./workers
COPY admin ./admin
RUN npm run build && node scripts/make-image.mjs /image && mkdir /empty

# Nothing but Node, the libraries that it loads, and the program.
FROM scratch
COPY --from=build /image /
COPY --from=build --chown=1000:1000 --chmod=0700 /empty /data
COPY --from=build --chmod=1777 /empty /tmp
# On this address a start without API_KEYS is refused.
ENV NODE_ENV=production WATCHWORD_DATA_DIR=/data SUPERTOKENS_HOST=0.0.0.0
WORKDIR /app
USER 1000:1000
VOLUME /data
EXPOSE 3567
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s --retries=3 CMD ["/usr/local/bin/node", "/app/dist/src/health.js"]
ENTRYPOINT ["/usr/local/bin/node", "--single-threaded-gc", "--require", "/app/scripts/thread-pool.cjs", "/app/dist/src/cli.js"]
