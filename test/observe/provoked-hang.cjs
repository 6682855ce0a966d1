// Loaded before the program in every thread of a core under test (NODE_OPTIONS=--require): in threads whose names begin with HANG_THREAD (`main` is the
// main thread), whoever parses JSON that holds HANG_WORD, and main once the file HANG_FILE is there, stops for HANG_MS, or for ever where that is not set.
const { existsSync } = require('node:fs');
const { isMainThread, workerData } = require('node:worker_threads');

const { HANG_THREAD: wanted = '', HANG_WORD: word, HANG_FILE: file, HANG_MS: ms } = process.env;
const name = isMainThread ? 'main' : String(workerData?.name ?? '');
// As an endless loop does, but without taking a core away from the tests beside.
const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms === undefined ? Infinity : Number(ms));

if (wanted !== '' && name.startsWith(wanted)) {
  if (word !== undefined) {
    const { parse } = JSON;
    JSON.parse = (text, ...others) => {
      if (String(text).includes(word)) hang();
      return parse(text, ...others);
    };
  }
  if (file !== undefined) setInterval(() => existsSync(file) && hang(), 20).unref();
}
