const DOMAIN = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::[0-9]+)?$/;

/** The stored form of a connection URI domain (contract 01 section 1.1): lower case, without port; `undefined` when it is no host name. Blanks around it are the caller's to remove. */
export function normaliseConnectionUriDomain(text: string): string | undefined {
  return DOMAIN.exec(text.toLowerCase())?.[1];
}
