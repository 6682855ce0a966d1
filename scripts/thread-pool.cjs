// Preloaded (`node --require`) before the core: sizes libuv's threads, which sign, make keys and commit (docs/decisions/0007). The loader of ES modules
// is the first to use them, so the main module itself comes too late. What the operator has set stays.
const { availableParallelism } = require('node:os');

/** Commits, key generation and file work find a thread free while all signatures that may be under way are. */
const OTHER_WORK = 4;
/** At most so many signatures a core are under way, with up to as many HTTP threads as cores: `signingWidth` in src/lanes/lane-limits.ts. */
const SIGNATURES_PER_CORE = 2;
/** Threads that wait for pages of the store which are not in memory, a thread that serves: `MOST_UNDER_WAY` in src/store/lmdb/cold-reads.ts. */
const COLD_READS_PER_CORE = 4;

process.env.UV_THREADPOOL_SIZE ??= String((SIGNATURES_PER_CORE + COLD_READS_PER_CORE) * availableParallelism() + OTHER_WORK);
