// Required by a node that shall not look for changes of tenants by itself.
const real = globalThis.setInterval;
globalThis.setInterval = (callback, ...rest) => real(/directory-cache/.test(String(new Error().stack)) ? () => {} : callback, ...rest);
