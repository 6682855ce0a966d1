import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

/** A task file of ill manners, for the tests of the lanes: dies as told, else echoes its name. */
export default async function run({ name: task }) {
  if (task === 'exit') process.exit(3);
  if (task === 'throw') {
    // Outside the task, so that nobody catches it.
    setImmediate(() => {
      throw new Error('uncaught');
    });
    await sleep(10_000);
  }
  if (task === 'sleep') await sleep(100);
  // As a document that takes forever: nothing but the end of the thread ends it.
  for (let isEndless = task === 'spin'; isEndless; ) isEndless = Date.now() > 0;
  return { value: task === 'thread' ? threadId : task };
}
