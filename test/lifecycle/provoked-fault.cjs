// Loaded before the program in every thread of a core under test (NODE_OPTIONS=--require): of the threads whose names begin with FAULT_THREAD, the one
// that first finds the named file throws, outside of any request, as a bug would.
const { existsSync, unlinkSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const file = process.env.FAULT_FILE;
const isMeant = !isMainThread && (require('node:worker_threads').workerData?.name ?? '').startsWith(process.env.FAULT_THREAD);
if (file && isMeant) {
  setInterval(() => {
    if (!existsSync(file)) return;
    try {
      // Of two threads that look at the same moment one removes it.
      unlinkSync(file);
    } catch {
      return;
    }
    throw new Error('provoked');
  }, 20).unref();
}
