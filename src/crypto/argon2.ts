import { createRequire } from 'node:module';
import { argon2d, argon2i, argon2id } from 'hash-wasm';
import type { Argon2Hash } from './password-hashes.ts';

/** What an argon2 digest is made from; `digestBytes` is the length of the result. */
export type Argon2Input = Omit<Argon2Hash, 'digest'> & { readonly digestBytes: number };

/** Computes raw argon2 digests on the calling thread. Throws on parameters outside RFC 9106. */
export type Argon2Engine = (password: Buffer, input: Argon2Input) => Promise<Buffer>;

type Native = typeof import('@node-rs/argon2');

// The numbers of the native build's enums, which exist only as types.
const NATIVE_ALGORITHMS = { argon2d: 0, argon2i: 1, argon2id: 2 } as const;
const NATIVE_VERSIONS = { 16: 0, 19: 1 } as const;
const WASM_ALGORITHMS = { argon2d, argon2i, argon2id };

/** The native build where it loads (40 ms for 86 MiB), else WebAssembly (230 ms; only v=19, no empty passwords). */
export function argon2Engine(): Argon2Engine {
  engine ??= nativeEngine() ?? wasmEngine;
  return engine;
}

let engine: Argon2Engine | undefined;

function nativeEngine(): Argon2Engine | undefined {
  let native: Native;
  try {
    native = createRequire(import.meta.url)('@node-rs/argon2') as Native;
  } catch {
    return undefined;
  }
  // The synchronous call, as workers already are the thread pool: libuv's must not be a second one behind it.
  return async (password, input) =>
    native.hashRawSync(password, {
      algorithm: NATIVE_ALGORITHMS[input.type] as never,
      version: NATIVE_VERSIONS[input.version] as never,
      memoryCost: input.memoryKb,
      timeCost: input.iterations,
      parallelism: input.parallelism,
      outputLen: input.digestBytes,
      salt: input.salt,
    });
}

/** For platforms without a native build. It cannot hash an empty password: its empty digest then matches nothing. */
export const wasmEngine: Argon2Engine = async (password, input) => {
  if (password.length === 0) return Buffer.alloc(0);
  if (input.version !== 19) throw new RangeError('argon2 version 16 needs the native build');
  const digest = await WASM_ALGORITHMS[input.type]({
    password,
    salt: input.salt,
    iterations: input.iterations,
    parallelism: input.parallelism,
    memorySize: input.memoryKb,
    hashLength: input.digestBytes,
    outputType: 'binary',
  });
  return Buffer.from(digest);
};
