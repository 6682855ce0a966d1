// Loaded before the program in every thread of a core under test (NODE_OPTIONS=--require): of the threads whose names begin with FAULT_THREAD, the one
// that first finds the named file throws, outside of any request, as a bug would; or, where FAULT_HOLD names another file, does nothing else until that is there.
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
    const hold = process.env.FAULT_HOLD;
    if (!hold) throw new Error('provoked');
    while (!existsSync(hold)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }, 20).unref();
}
