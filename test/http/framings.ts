/**
 * Requests as bytes, and what comes of them. `@` in a path stands for the number of the case, so that all of them can be played at once; a path that begins
 * `@slow` is answered after a while, `@hot` has its head read by name on uWebSockets.js.
 */
export interface Framing {
  readonly name: string;
  /** Each piece is a segment of its own. */
  readonly send: readonly string[];
  readonly expected: Outcome;
  /** It has a body in chunks: uWebSockets.js answers 411, or takes it as the last of its connection. */
  readonly isChunked?: true;
  /** What uWebSockets.js does where nothing can be done about it (docs/decisions/0019). */
  readonly native?: Outcome;
}

/** The requests that reach the handler (method, path without its number, bytes of the body), and whether each gets its 200 and no more. */
export interface Outcome {
  readonly runs: readonly string[];
  /** Refused: a status of 400 and above, or nothing, and then the end of the connection. */
  readonly end: 'open' | 'closed' | 'refused';
  /** False where the connection ends before these are answered. */
  readonly isAnswered?: false;
}

const HOST = 'Host: z\r\n';
const HOT = `${HOST}cdi-version: 5.4\r\napi-key: k\r\n`;
const CHUNKED = `POST /@a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
/** What must never run. */
const SMUGGLED = `GET /@smuggled HTTP/1.1\r\n${HOST}\r\n`;
const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`;
const post = (path: string, body: string): string => `POST ${path} HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`;

const REFUSED: Outcome = { runs: [], end: 'refused' };
const runs = (...names: string[]): Outcome => ({ runs: names, end: 'open' });
const refused = (name: string, ...send: string[]): Framing => ({ name, send, expected: REFUSED });
const taken = (name: string, run: string, ...send: string[]): Framing => ({ name, send, expected: runs(run) });
const chunked = (name: string, body: string, expected: Outcome = REFUSED): Framing => ({
  name,
  send: [CHUNKED + body],
  expected,
  isChunked: true,
});
const withHeader = (name: string, line: string, body = ''): Framing => refused(name, `POST /@a HTTP/1.1\r\n${HOST}${line}\r\n\r\n${body}`);
const hot = (name: string, lines: string, body: string): Framing => refused(name, `POST /@hot HTTP/1.1\r\n${HOT}${lines}\r\n\r\n${body}`);
const coding = (value: string): Framing =>
  withHeader(`Transfer-Encoding:${JSON.stringify(value)}`, `Transfer-Encoding:${value}`, '0\r\n\r\n');

const LENGTHS: readonly Framing[] = [
  taken('a length', 'POST a 3', post('/@a', 'abc')),
  taken('a length with zeros before it', 'POST a 3', `POST /@a HTTP/1.1\r\n${HOST}Content-Length: 003\r\n\r\nabc`),
  taken('a length between blanks', 'POST a 3', `POST /@a HTTP/1.1\r\n${HOST}Content-Length: \t3 \r\n\r\nabc`),
  taken('a body on GET', 'GET a 2', `GET /@a HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nab`),
  withHeader('a length with a sign', 'Content-Length: +3', 'abc'),
  withHeader('a negative length', 'Content-Length: -3', 'abc'),
  withHeader('a length with a blank within', 'Content-Length: 1 1', 'abcdefghijk'),
  withHeader('a hexadecimal length', 'Content-Length: 0x3', 'abc'),
  withHeader('a list of lengths', 'Content-Length: 3, 3', 'abc'),
  withHeader('an empty length', 'Content-Length:', SMUGGLED),
  withHeader('a length beyond 64 bits', 'Content-Length: 18446744073709551619', `abc${SMUGGLED}`),
  withHeader('a length beyond 32 bits', 'Content-Length: 4294967299', `abc${SMUGGLED}`),
  withHeader('two lengths', `Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}`, SMUGGLED),
  withHeader('two equal lengths', 'Content-Length: 3\r\nContent-Length: 3', 'abc'),
  withHeader('a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${SMUGGLED}`),
  withHeader('chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${SMUGGLED}`),
  withHeader('a length and a coding that is none', 'Content-Length: 3\r\nTransfer-Encoding: x', 'abc'),
];

const CHUNKS: readonly Framing[] = [
  chunked('chunks', '3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n', runs('POST a 4')),
  chunked('no chunk', '0\r\n\r\n', runs('POST a 0')),
  { ...chunked('a chunk with an extension', '3;a=b\r\nabc\r\n0\r\n\r\n', runs('POST a 3')), native: REFUSED },
  { ...chunked('a trailer', '3\r\nabc\r\n0\r\nX: y\r\n\r\n', runs('POST a 3')), native: REFUSED },
  { ...chunked('a request in a trailer', `0\r\na:${SMUGGLED}`, runs('POST a 0')), native: REFUSED },
  { ...chunked('a request behind chunks', `0\r\n\r\n${get('/@b')}`, runs('POST a 0', 'GET b 0')), native: REFUSED },
  chunked('a chunk that ends with LF', `3\nabc\n0\n\n${SMUGGLED}`),
  chunked('a chunk size beyond 64 bits', `ffffffffffffffff3\r\nabc\r\n0\r\n\r\n${SMUGGLED}`),
  chunked('a chunk size with 0x', `0x3\r\nabc\r\n0\r\n\r\n${SMUGGLED}`),
  chunked('a negative chunk size', `-3\r\nabc\r\n0\r\n\r\n${SMUGGLED}`),
  chunked('a chunk size of no digits', `\r\nabc\r\n0\r\n\r\n${SMUGGLED}`),
  chunked('a chunk longer than it says', `3\r\nabcd\r\n0\r\n\r\n${SMUGGLED}`),
  {
    name: 'chunks in any case',
    send: [CHUNKED.replace('chunked', ' ChunKed ') + '1\r\na\r\n0\r\n\r\n'],
    expected: runs('POST a 1'),
    isChunked: true,
  },
  ...[
    '',
    ' identity',
    ' xchunked',
    ' gzip, chunked',
    ' chunked, chunked',
    ' chunked, identity',
    ' chunked;q=1',
    ' "chunked"',
    ' \x0bchunked',
  ].map(coding),
  withHeader('two codings', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `0\r\n\r\n${SMUGGLED}`),
  withHeader('chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', `0\r\n\r\n${SMUGGLED}`),
  withHeader('a coding on a folded line', 'Transfer-Encoding:\r\n chunked', `0\r\n\r\n${SMUGGLED}`),
];

const HEADS: readonly Framing[] = [
  refused('lines that end with LF', `GET /@a HTTP/1.1\nHost: z\n\n`),
  refused('one line that ends with LF', `GET /@a HTTP/1.1\r\n${HOST}X: y\nTransfer-Encoding: chunked\r\n\r\n`),
  refused('a line that ends with CR', `GET /@a HTTP/1.1\r\n${HOST}X: y\rZ: z\r\n\r\n`),
  refused('a head that ends with LF', `GET /@a HTTP/1.1\r\n${HOST}\n${SMUGGLED}`),
  withHeader('a folded line', 'X: a\r\n b'),
  withHeader('a blank before the colon', 'Content-Length : 3', 'abc'),
  withHeader('a tab before the colon', 'Content-Length\t: 3', 'abc'),
  refused('a blank before the first name', `GET /@a HTTP/1.1\r\n X: a\r\n${HOST}\r\n`),
  withHeader('no colon', 'nonsense'),
  withHeader('NUL in a value', 'X: a\0b'),
  withHeader('NUL in a name', 'X\0: a'),
  withHeader('a control character in a value', 'X: \x01'),
  withHeader('DEL in a value', 'X: \x7f'),
  withHeader('a name with a bracket', 'X[y: a'),
  withHeader('a name with CR', 'Content\rLength: 3', 'abc'),
  taken('letters beyond ASCII in a value', 'GET a 0', `GET /@a HTTP/1.1\r\n${HOST}X: \xe9\r\n\r\n`),
  refused('two hosts', `GET /@a HTTP/1.1\r\n${HOST}Host: y\r\n\r\n`),
  refused('two equal hosts', `GET /@a HTTP/1.1\r\n${HOST}${HOST}\r\n`),
  refused('no host', `GET /@a HTTP/1.1\r\nX: y\r\n\r\n`),
  taken('an empty host', 'GET a 0', `GET /@a HTTP/1.1\r\nHost:\r\n\r\n`),
  taken('a head of 15 KiB', 'GET a 0', `GET /@a HTTP/1.1\r\n${HOST}X: ${'y'.repeat(15_000)}\r\n\r\n`),
  refused('a head of 17 KiB', `GET /@a HTTP/1.1\r\n${HOST}X: ${'y'.repeat(17_000)}\r\n\r\n`),
  taken('98 lines', 'GET a 0', `GET /@a HTTP/1.1\r\n${HOST}${'X: y\r\n'.repeat(97)}\r\n`),
  refused('99 lines', `GET /@a HTTP/1.1\r\n${HOST}${'X: y\r\n'.repeat(98)}\r\n${SMUGGLED}`),
  taken('an expectation', 'POST a 2', `POST /@a HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`, 'ab'),
  taken('an expectation that nobody knows', 'POST a 2', `POST /@a HTTP/1.1\r\n${HOST}Expect: x\r\nContent-Length: 2\r\n\r\n`, 'ab'),
  taken(
    'an upgrade to WebSocket',
    'GET a 0',
    `GET /@a HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  ),
  taken(
    'an upgrade to HTTP/2',
    'GET a 0',
    `GET /@a HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
  ),
];

const LINES: readonly Framing[] = [
  taken('HEAD', 'HEAD a 0', `HEAD /@a HTTP/1.1\r\n${HOST}\r\n`),
  refused('HTTP/1.0', `GET /@a HTTP/1.0\r\n${HOST}\r\n`),
  refused('HTTP/1.0 that goes on', `GET /@a HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n\r\n${SMUGGLED}`),
  refused('HTTP/1.0 with chunks', `POST /@a HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  refused('HTTP/0.9', `GET /@a\r\n\r\n`),
  refused('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('a method in lower case', `get /@a HTTP/1.1\r\n${HOST}\r\n`),
  refused('a POST in lower case', `post /@a HTTP/1.1\r\n${HOST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`),
  refused('a method that nobody knows', `BREW /@a HTTP/1.1\r\n${HOST}\r\n${SMUGGLED}`),
  refused('CONNECT', `CONNECT z:1 HTTP/1.1\r\n${HOST}\r\n`),
  refused('an absolute target', `GET http://z/@a HTTP/1.1\r\n${HOST}\r\n`),
  refused('an asterisk as target', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`),
  refused('letters beyond ASCII in the target', `GET /@a\xc3\xa9 HTTP/1.1\r\n${HOST}\r\n`),
  refused('a control character in the target', `GET /@a\x01 HTTP/1.1\r\n${HOST}\r\n`),
  refused('a blank in the target', `GET /@a b HTTP/1.1\r\n${HOST}\r\n`),
  refused('tabs between the parts', `GET\t/@a\tHTTP/1.1\r\n${HOST}\r\n`),
  refused('a blank behind the version', `GET /@a HTTP/1.1 \r\n${HOST}\r\n`),
  // RFC 9112 section 2.2 asks servers to take the first, and lets them take the second; the native parser knows neither.
  { ...taken('an empty line before the request', 'GET a 0', `\r\n${get('/@a')}`), native: REFUSED },
  { ...taken('two blanks before the target', 'GET a 0', `GET  /@a HTTP/1.1\r\n${HOST}\r\n`), native: REFUSED },
];

const HOT_HEADS: readonly Framing[] = [
  taken('a hot head', 'POST hot 2', `POST /@hot HTTP/1.1\r\n${HOT}Content-Length: 2\r\n\r\nab`),
  hot('hot: an empty length', 'Content-Length:', SMUGGLED),
  hot('hot: a length of 0 and another', `Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}`, SMUGGLED),
  hot('hot: a length with a sign', 'Content-Length: +3', 'abc'),
  hot('hot: a hexadecimal length', 'Content-Length: 0x3', 'abc'),
  hot('hot: a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${SMUGGLED}`),
  ...[' identity', ' xchunked', ' gzip, chunked'].map((value) => hot(`hot: a coding${value}`, `Transfer-Encoding:${value}`, '0\r\n\r\n')),
  {
    name: 'hot: a request in a trailer',
    send: [`POST /@hot HTTP/1.1\r\n${HOT}Transfer-Encoding: chunked\r\n\r\n0\r\na:${SMUGGLED}`],
    expected: runs('POST hot 0'),
    isChunked: true,
    native: REFUSED,
  },
  // Only a look at every line would tell, which costs a verification a third more.
  { ...hot('hot: two hosts', 'Host: y\r\nContent-Length: 2', 'ab'), native: runs('POST hot 2') },
  { ...hot('hot: two lengths', 'Content-Length: 2\r\nContent-Length: 3', 'ab'), native: runs('POST hot 2') },
  { ...hot('hot: a head of 17 KiB', `X: ${'y'.repeat(17_000)}\r\nContent-Length: 2`, 'ab'), native: runs('POST hot 2') },
  { ...hot('hot: an empty coding', 'Transfer-Encoding:\r\nContent-Length: 2', 'ab'), native: runs('POST hot 2') },
];

const LOST: Outcome = { runs: ['GET slow 0'], end: 'closed', isAnswered: false };
const BEHIND_ONE_ANOTHER: readonly Framing[] = [
  { name: 'two quick requests at once', send: [get('/@a') + get('/@b')], expected: runs('GET a 0', 'GET b 0') },
  {
    name: 'three with bodies at once',
    send: [post('/@a', 'ab') + get('/@b') + post('/@c', 'abc')],
    expected: runs('POST a 2', 'GET b 0', 'POST c 3'),
  },
  { name: 'a request behind a slow one', send: [get('/@slow'), get('/@b')], expected: runs('GET slow 0', 'GET b 0') },
  { name: 'a body behind a slow request', send: [post('/@slow', 'a'), post('/@b', 'ab')], expected: runs('POST slow 1', 'POST b 2') },
  {
    name: 'many behind a slow request',
    send: [get('/@slow'), get('/@b') + get('/@c'), get('/@d')],
    expected: runs('GET slow 0', 'GET b 0', 'GET c 0', 'GET d 0'),
  },
  { name: 'a slow one behind a slow one', send: [get('/@slow1'), get('/@slow2')], expected: runs('GET slow1 0', 'GET slow2 0') },
  // The native library closes a connection over a request behind an unanswered one, and asks nobody. What changes something has not begun by then.
  {
    name: 'a request in one go with a slow one',
    send: [get('/@slow') + get('/@b')],
    expected: runs('GET slow 0', 'GET b 0'),
    native: LOST,
  },
  { name: 'what follows a refused request', send: [`GET /@a HTTP/1.1\r\n${HOST}Host: y\r\n\r\n${SMUGGLED}`], expected: REFUSED },
  {
    name: 'what follows the last request',
    send: [`GET /@a HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n${SMUGGLED}`],
    expected: { runs: ['GET a 0'], end: 'closed' },
    native: REFUSED,
  },
  {
    name: 'the last request',
    send: [`GET /@a HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
    expected: { runs: ['GET a 0'], end: 'closed' },
  },
  // The native parser hides from everybody, itself too, what stands behind a header without a name.
  { ...withHeader('a header without a name', ': a'), native: runs('POST a 0') },
];

export const FRAMINGS: readonly Framing[] = [...LENGTHS, ...CHUNKS, ...HEADS, ...LINES, ...HOT_HEADS, ...BEHIND_ONE_ANOTHER];

/** Requests that are cut in two at every byte. */
export const TO_CUT: readonly Framing[] = [
  taken('a GET', 'GET a 0', get('/@a')),
  taken('a POST', 'POST a 3', post('/@a', 'abc')),
  taken('a hot POST', 'POST hot 2', `POST /@hot HTTP/1.1\r\n${HOT}Content-Length: 2\r\n\r\nab`),
  chunked('chunks', '3\r\nabc\r\n0\r\n\r\n', runs('POST a 3')),
  { ...chunked('a request in a trailer', `0\r\na:${SMUGGLED}`, runs('POST a 0')), native: REFUSED },
];
