/* A URL may name several servers, as PostgreSQL's own library has it: `postgres://user@one:5432,other/database`. */

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** One server, in the driver's words. */
export interface ServerAddress {
  readonly url: string;
  /** What the URL says of settings of sessions. */
  readonly options: string | undefined;
}

/**
 * The servers that a URL names: one, or several of which one at a time takes writes.
 * @param password instead of the one in the URL, which counts for the driver even where it is empty
 */
export function serversOf(url: string, password?: string): readonly ServerAddress[] {
  return urlsOf(url).map((one) => addressOf(one, password));
}

function urlsOf(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
}

function addressOf(url: string, password: string | undefined): ServerAddress {
  if (!URL.canParse(url)) return { url, options: undefined };
  const parsed = new URL(url);
  const words = parsed.searchParams;
  const options = words.get('options') ?? undefined;
  // They would stand in place of ours.
  words.delete('options');
  words.delete('application_name');
  if (password !== undefined) {
    parsed.password = encodeURIComponent(password);
    words.delete('password');
  }
  // The driver reads `sslmode` more strictly than PostgreSQL's own library, unless it is told not to.
  if (words.has('sslmode') && !words.has('uselibpqcompat')) words.set('uselibpqcompat', 'true');
  return { url: parsed.href, options };
}

/** Hosts, ports and name of the database; never the password, nor what might be a part of it. */
export function placeOf(url: string): string {
  const urls = urlsOf(url);
  if (!urls.every((one) => URL.canParse(one))) return '(postgres_url)';
  const parsed = urls.map((one) => new URL(one));
  const path = parsed[0]?.pathname ?? '';
  if (path.includes('@')) return '(postgres_url)';
  return `${parsed.map(({ host }) => host).join(',')}${path}`;
}
