/** An origin of the web; others are compared as they are. */
interface WebOrigin {
  readonly scheme: string;
  readonly host: string;
  /** As it was written. */
  readonly port: string | undefined;
}

const WEB = /^(https?):\/\/(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:@]*)(?::(\d*))?(?:[/?#]|$)/i;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

function webOriginOf(text: string): WebOrigin | undefined {
  const match = WEB.exec(text);
  if (!match) return undefined;
  const [, scheme = '', host = '', port] = match;
  return { scheme: scheme.toLowerCase(), host, port: port || undefined };
}

const portOf = ({ scheme, port }: WebOrigin): number | undefined => (port === undefined ? DEFAULT_PORTS[scheme] : Number(port));

/** Whether two origins are one: of the web by scheme, host and port, whatever follows (contract 07 section 7.2). */
export function isSameOrigin(a: string, b: string): boolean {
  const [first, second] = [webOriginOf(a), webOriginOf(b)];
  if (!first || !second) return a === b;
  return first.scheme === second.scheme && first.host === second.host && portOf(first) === portOf(second);
}

/** An origin as messages name it: of the web without path. */
export function shownOrigin(text: string): string {
  const web = webOriginOf(text);
  return web ? `${web.scheme}://${web.host}${web.port === undefined ? '' : `:${web.port}`}` : text;
}
