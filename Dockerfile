FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY schemas ./schemas
COPY src ./src
COPY workers ./workers
RUN npm run build && npm prune --omit=dev --no-audit --no-fund && node scripts/prune-binaries.mjs

FROM node:24-trixie-slim
ENV NODE_ENV=production WATCHWORD_DATA_DIR=/data SUPERTOKENS_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY scripts/thread-pool.cjs ./scripts/
RUN install -d -o 1000 -g 1000 -m 0700 /data
USER 1000:1000
VOLUME /data
EXPOSE 3567
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SUPERTOKENS_PORT || 3567}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--single-threaded-gc", "--require", "./scripts/thread-pool.cjs", "dist/src/main.js"]
