import { parentPort, workerData } from 'node:worker_threads';

/** Stands in for an HTTP thread: signs through its port, then waits for the port to close. */
const { port, privateKey, module } = workerData;
const { connectPool } = await import(module);
const crypto = connectPool(port);
const inputs = Array.from({ length: 20 }, (_, index) => `input ${index}`);
parentPort.postMessage(await Promise.all(inputs.map((input) => crypto.signRs256(input, privateKey))));
const endless = crypto.hashPassword('p', { algorithm: 'BCRYPT', rounds: 16 });
await endless.catch((error) => parentPort.postMessage(error.message));
