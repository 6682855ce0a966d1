const DOMAIN = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[0-9]+)?$/;

/** Lower case, without port (contract 01 section 1.1); `undefined` for no host name. The caller trims blanks. */
export function normaliseConnectionUriDomain(text: string): string | undefined {
  return DOMAIN.exec(text.toLowerCase())?.[1];
}
