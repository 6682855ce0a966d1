import { HEADER_NAME } from './header-name.ts';
import type { Config } from './values.ts';

/** Where spans are posted, below the URI of a collector (OTLP 1 section "OTLP/HTTP Request"). */
const TRACES_PATH = '/v1/traces';
/** No control characters (RFC 9110 section 5.5). */
const HEADER_VALUE = /^[ -~]*$/;

/** Where the spans for a collector are posted; undefined where the URI is none, or holds what may be a secret. */
export function collectorUrl(uri: string): URL | undefined {
  if (!URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  const { protocol, username, password, search, hash } = url;
  if (!/^https?:$/.test(protocol) || [username, password, search, hash].some((part) => part !== '')) return undefined;
  url.pathname = url.pathname.replace(/\/*$/, TRACES_PATH);
  return url;
}

/**
 * The headers for a collector, in the form of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value`, comma separated, values
 * percent-encoded; undefined where they are not of that form.
 */
export function collectorHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').map((pair) => pair.trim());
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim();
    const value = decoded(pair.slice(at + 1).trim());
    if (!HEADER_NAME.test(name) || value === undefined || !HEADER_VALUE.test(value)) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Where spans are sent, and with which headers, such as keys. */
export interface CollectorAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** The collector that a configuration names, if it names one. */
export function collectorAddress({
  otel_collector_connection_uri: uri,
  otel_collector_headers: headers,
}: Config): CollectorAddress | undefined {
  const url = uri === null ? undefined : collectorUrl(uri);
  return url && { url, headers: headers === null ? {} : (collectorHeaders(headers) ?? {}) };
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
