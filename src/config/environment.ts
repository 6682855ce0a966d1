import { LIMITS } from './limits.ts';

/** The environment of the process; the product asks for it nowhere else. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/**
 * Lets uWebSockets.js take headers of the product's limit instead of 4 KiB. It reads the variable once, from the real environment of the
 * process, so the main thread calls this before any thread loads that library (threads only see copies).
 */
export function prepareHeaderLimit(): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIMITS.headerBytes);
}
