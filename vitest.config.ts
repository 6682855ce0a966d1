import { defineConfig } from 'vitest/config';

/**
 * Two files at a time: the project promises to be testable on two cores, and many files start a server of their own.
 * Time limits are generous because a loaded machine must not make a correct core look wrong.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
  },
});
