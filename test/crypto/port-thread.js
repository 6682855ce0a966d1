import { parentPort, workerData } from 'node:worker_threads';

/** Stands in for an HTTP thread: hashes through its port, then waits for the port to close. */
const { port, module } = workerData;
const { connectPool } = await import(module);
const crypto = connectPool(port);
const cheap = { algorithm: 'BCRYPT', rounds: 4 };
const passwords = Array.from({ length: 20 }, (_, index) => `password ${index}`);
parentPort.postMessage(await Promise.all(passwords.map((password) => crypto.hashPassword(password, cheap))));
const endless = crypto.hashPassword('p', { algorithm: 'BCRYPT', rounds: 16 });
await endless.catch((error) => parentPort.postMessage(error.message));
