import { parentPort, workerData } from 'node:worker_threads';

/** Stands in for an HTTP thread: has its tasks done through its port, then waits for the port to close. */
const { port, module } = workerData;
const { TaskPort } = await import(module);
const tasks = new TaskPort(port).tasks('add', 'wait');
parentPort.postMessage(await Promise.all(Array.from({ length: 20 }, (_, n) => tasks.add(n))));
await tasks.wait().catch((error) => parentPort.postMessage(error.message));
