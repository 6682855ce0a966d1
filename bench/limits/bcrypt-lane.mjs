// A worker that checks passwords, for servers to compare with.
export { bcryptVerify as default } from 'hash-wasm';
