/** Whether a client names the bytes that it would get (RFC 9110 section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}

/** Whether a client takes a content coding (RFC 9110 section 12.5.3). @param coding in lower case */
export function takesCoding(acceptEncoding: string | undefined, coding: string): boolean {
  const weights = new Map(
    (acceptEncoding ?? '').split(',').map((each): [string, boolean] => {
      const [name = '', ...parameters] = each.toLowerCase().split(';');
      return [name.trim(), !parameters.some((one) => /^\s*q=0(?:\.0*)?\s*$/.test(one))];
    }),
  );
  return weights.get(coding) ?? weights.get('*') ?? false;
}
