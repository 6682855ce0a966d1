import { LIMITS } from './limits.ts';

/** The environment of the process; the product asks for it nowhere else. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/**
 * Lets uWebSockets.js take headers of the product's limit instead of 4 KiB. The library reads this once, from the
 * environment of the process, so the main thread sets it before any thread loads the library (threads see only copies).
 */
export function prepareHeaderLimit(): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIMITS.headerBytes);
}
