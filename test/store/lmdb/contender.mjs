// A thread or process that works on a store which others have open too. Takes one order, answers when it is done, and ends.
import { parentPort } from 'node:worker_threads';
import { counters, openStore, raise, writeHalves } from '../built-store.mjs';

async function obey(order) {
  const store = await openStore({ engine: 'lmdb', path: order.path });
  try {
    if (order.act === 'raise') await raise(store, order.name, order.times, order.atOnce);
    if (order.act === 'vanish') {
      void raise(store, order.name, Number.POSITIVE_INFINITY, 16);
      setTimeout(() => process.exit(1), order.afterMs);
      await new Promise(() => {});
    }
    if (order.act === 'fill') {
      for (let number = 0; number < order.count; number += order.atOnce) {
        await Promise.all(
          Array.from({ length: order.atOnce }, (_, at) => writeHalves(store, order.run, number + at, 'x'.repeat(order.bytes))),
        );
      }
    }
    if (order.act === 'echo') {
      // Answers every number with what the store holds at that moment.
      for (let seen = 0; seen < order.times; ) {
        const value = (await store.read((r) => r.get(counters, [order.name])))?.value ?? 0;
        if (value > seen) {
          seen = value;
          await store.transact((tx) => tx.put(counters, { name: order.answer, value: seen }));
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return store.stats();
  } finally {
    await store.close();
  }
}

const answer = parentPort ? (message) => parentPort.postMessage(message) : (message) => process.send(message, () => process.disconnect());
(parentPort ?? process).once('message', (order) => {
  obey(order).then(
    (stats) => answer({ stats }),
    (error) => answer({ error: String(error.stack) }),
  );
});
