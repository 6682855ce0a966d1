import { isAscii, isUtf8, transcode } from 'node:buffer';
import { LIMITS } from '../config/limits.ts';
import { Refusal } from '../recipes/refusal.ts';

/** Headers that browsers and the proxies before them send, and back ends hardly. */
export interface WebHead {
  cookie: string | undefined;
  origin: string | undefined;
  /** `Sec-Fetch-Site`: how the page that asks is related to us, by the word of the browser. */
  fetchSite: string | undefined;
  csrfToken: string | undefined;
  /** By which a page names what it cannot say by its host. */
  connectionUriDomain: string | undefined;
  forwardedProto: string | undefined;
  forwardedFor: string | undefined;
  /** A proxy says that it passed the request on. */
  isForwarded: boolean;
}

/** The head of a request, as far as it is read. A header not sent is undefined; an empty one counts as sent. */
export interface RequestHead {
  host: string | undefined;
  cdiVersion: string | undefined;
  apiKey: string | undefined;
  authorization: string | undefined;
  rid: string | undefined;
  requestId: string | undefined;
  contentType: string | undefined;
  /** What the client has of a file, and which codings it takes. */
  ifNoneMatch: string | undefined;
  acceptEncoding: string | undefined;
  /** Whether and as whose part the request is traced; on hot paths read only while requests are traced. */
  traceparent: string | undefined;
  /** Undefined where none of its headers were sent. */
  web: WebHead | undefined;
  /** The header that the option `sign_in_address_header` names; never read where it names none. */
  endUserAddress: string | undefined;
  /** Declared bytes of the body; undefined where none were declared. */
  contentLength: number | undefined;
  isChunked: boolean;
  /** The client takes no answer after this one. */
  endsConnection: boolean;
  /** Characters of all header lines together. */
  size: number;
  /** How many header lines there are. */
  lines: number;
  /** It contradicts itself, or holds what HTTP does not allow. */
  isInvalid: boolean;
}

/** A whole request, as the pipeline gets it. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without `?`. */
  readonly query: string;
  readonly head: RequestHead;
  /** Lent for the call: an engine may overwrite it afterwards. */
  readonly body: Uint8Array;
  /** Text of the TCP peer's address. */
  peer(): string;
  /**
   * Resolves when the engine took in all that came with the request; rejects with a refusal where that ended the
   * connection, so changes wait for it: nobody would learn of them. Undefined where there is nothing to wait for.
   */
  settled?(): Promise<void> | undefined;
}

/** The body of a request without one. */
export const NO_BODY: Uint8Array = new Uint8Array(0);

/** Bytes that are decoded in no time in any way. */
const ORDINARY_BYTES = 16_384;
const DIGITS = /^[0-9]{1,15}$/;
/** Name and value are framed by `: ` and the line's end. */
const LINE_OVERHEAD = 4;

/** Path or query of a request line: only origin-form, of the four of RFC 9112 section 3.2, asks an origin server. */
const TARGET = /^\/[!-~]*$/;
/** No control characters but the tab (RFC 9110 section 5.5). */
const VALUE = /^[\t -~\u0080-\uffff]*$/;
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;

/** The head before its first header. */
export function emptyHead(method: string, path: string, query: string): RequestHead {
  return {
    host: undefined,
    cdiVersion: undefined,
    apiKey: undefined,
    authorization: undefined,
    rid: undefined,
    requestId: undefined,
    contentType: undefined,
    ifNoneMatch: undefined,
    acceptEncoding: undefined,
    traceparent: undefined,
    web: undefined,
    endUserAddress: undefined,
    contentLength: undefined,
    isChunked: false,
    endsConnection: false,
    size: method.length + path.length + query.length,
    lines: 0,
    isInvalid: !TARGET.test(path) || !TARGET.test(`/${query}`),
  };
}

/**
 * Takes in one header; the first of a name wins. Two hosts, two lengths and codings other than `chunked` contradict
 * (RFC 9110 section 7.2, RFC 9112 section 6). @param addressHeader lower-case name of that with the end user's address
 */
export function takeHeader(head: RequestHead, lowerName: string, value: string, addressHeader?: string): void {
  head.size += lowerName.length + value.length + LINE_OVERHEAD;
  head.lines += 1;
  if (lowerName === '' || !VALUE.test(value)) head.isInvalid = true;
  if (lowerName === addressHeader) head.endUserAddress ??= value;
  switch (lowerName) {
    case 'host':
      if (head.host !== undefined) head.isInvalid = true;
      else head.host = value;
      break;
    case 'content-length':
      if (head.contentLength !== undefined || !DIGITS.test(value)) head.isInvalid = true;
      else head.contentLength = Number(value);
      break;
    case 'transfer-encoding':
      // The engines read any coding as chunks; a proxy before us may have read another (RFC 9112 section 6.1).
      if (head.isChunked || value.trim().toLowerCase() !== 'chunked') head.isInvalid = true;
      head.isChunked = true;
      break;
    case 'connection':
      if (CLOSE.test(value)) head.endsConnection = true;
      break;
    case 'cdi-version':
      head.cdiVersion ??= value;
      break;
    case 'api-key':
      head.apiKey ??= value;
      break;
    case 'authorization':
      head.authorization ??= value;
      break;
    case 'rid':
      head.rid ??= value;
      break;
    case 'x-request-id':
      head.requestId ??= value;
      break;
    case 'content-type':
      head.contentType ??= value;
      break;
    case 'if-none-match':
      head.ifNoneMatch ??= value;
      break;
    case 'accept-encoding':
      head.acceptEncoding ??= value;
      break;
    case 'traceparent':
      head.traceparent ??= value;
      break;
    default:
      takeWebHeader(head, lowerName, value);
  }
}

const NO_WEB_HEAD: WebHead = {
  cookie: undefined,
  origin: undefined,
  fetchSite: undefined,
  csrfToken: undefined,
  connectionUriDomain: undefined,
  forwardedProto: undefined,
  forwardedFor: undefined,
  isForwarded: false,
};

const WEB_HEADERS: Readonly<Record<string, (web: WebHead, value: string) => void>> = Object.assign(Object.create(null), {
  // Browsers send one; a proxy that splits it (RFC 9113 section 8.2.3) is answered as if only the first were there.
  cookie: (web: WebHead, value: string) => (web.cookie ??= value),
  origin: (web: WebHead, value: string) => (web.origin ??= value),
  'sec-fetch-site': (web: WebHead, value: string) => (web.fetchSite ??= value),
  'x-csrf-token': (web: WebHead, value: string) => (web.csrfToken ??= value),
  'x-connection-uri-domain': (web: WebHead, value: string) => (web.connectionUriDomain ??= value),
  // Every proxy adds to them: each line counts.
  'x-forwarded-proto': (web: WebHead, value: string) => (web.forwardedProto = joined(web.forwardedProto, value)),
  'x-forwarded-for': (web: WebHead, value: string) => (web.forwardedFor = joined(web.forwardedFor, value)),
  'x-real-ip': () => {},
  forwarded: () => {},
  via: () => {},
});

const FORWARDING = /^(?:x-forwarded-|x-real-ip$|forwarded$|via$)/;

const joined = (before: string | undefined, value: string): string => (before === undefined ? value : `${before},${value}`);

function takeWebHeader(head: RequestHead, lowerName: string, value: string): void {
  const take = WEB_HEADERS[lowerName];
  if (!take) return;
  head.web ??= { ...NO_WEB_HEAD };
  take(head.web, value);
  if (FORWARDING.test(lowerName)) head.web.isForwarded = true;
}

/** What is wrong with a head, whatever it asks for. */
export function headFault(head: RequestHead): Refusal | undefined {
  if (head.size > LIMITS.headerBytes || head.lines > LIMITS.headerLines) return new Refusal('head-too-large');
  if (head.isInvalid || head.host === undefined || (head.isChunked && head.contentLength !== undefined)) return new Refusal('head-invalid');
  return undefined;
}

/** Text of a body, undefined where it is not UTF-8. */
export function decodeBody(bytes: Uint8Array): string | undefined {
  const { buffer, byteOffset, byteLength } = bytes;
  const body = Buffer.from(buffer, byteOffset, byteLength);
  if (byteLength > ORDINARY_BYTES) return decodeLarge(body);
  const text = body.toString('utf8');
  // Malformed bytes become replacement characters, which real text hardly holds; only then are the bytes checked.
  return text.includes('\ufffd') && !isUtf8(bytes) ? undefined : text;
}

/** Large bodies take milliseconds to decode: this way takes a fifth of that. */
function decodeLarge(body: Buffer): string | undefined {
  if (isAscii(body)) return body.toString('latin1');
  return isUtf8(body) ? transcode(body, 'utf8', 'ucs2').toString('ucs2') : undefined;
}

const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** True for the bodies of HTML forms. */
export function isForm(head: RequestHead): boolean {
  return head.contentType !== undefined && FORM.test(head.contentType);
}

/** Slowest upload that is waited for, in bytes a millisecond. */
const SLOWEST = 128;
const PATIENCE_MS = 30_000;

/** How long a body of so many bytes may take. */
export function bodyTimeMs(bytes: number): number {
  return PATIENCE_MS + bytes / SLOWEST;
}
