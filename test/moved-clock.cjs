// Required by a core whose clock is to be another than that of the machine: ahead by as many ms as the file CLOCK_AHEAD_FILE
// holds. It is read anew at most every 100 ms, so that a test can move the clock of a running core.
const { readFileSync } = require('node:fs');

const EVERY_MS = 100;
const now = Date.now;
let ahead = 0;
let readAt = Number.NEGATIVE_INFINITY;
Date.now = () => {
  const at = performance.now();
  if (at - readAt >= EVERY_MS) {
    ahead = Number(readFileSync(process.env.CLOCK_AHEAD_FILE, 'utf8'));
    readAt = at;
  }
  return now() + ahead;
};
