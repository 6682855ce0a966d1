import { describe, expect, test } from 'vitest';
import { isRedirectUri, withCode } from '../../../src/recipes/saml/redirect-uris.ts';
import { escapeXml, isXmlText } from '../../../src/recipes/saml/xml-text.ts';

describe('a redirect URI', () => {
  test.each([
    'https://app.example.com',
    'https://app.example.com/callback?x=1&y=2#part',
    'HTTPS://app.example.com/',
    'https://app.example.com:8443/%20',
    'http://localhost:3000/callback',
    'http://LOCALHOST/',
    'http://app.localhost/',
    'http://127.0.0.1/callback',
    'http://127.1.2.3:8080/',
    'http://[::1]:3000/',
  ])('%s is one', (uri) => {
    expect(isRedirectUri(uri, false)).toBe(true);
  });

  test.each([
    '',
    'app.example.com',
    '//app.example.com/',
    '/callback',
    'http://app.example.com/',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'http://127.0.0.1@example.com/',
    'http://0.0.0.0/',
    'http://192.168.0.1/',
    'http://[::2]/',
    'https:app.example.com',
    'https:/app.example.com',
    'https:///app.example.com',
    'https://',
    'https://?x',
    'https://app.example.com/a b',
    ' https://app.example.com/',
    'https://app.example.com/\r\nSet-Cookie:a=b',
    'https://app.example.com/\t',
    'https:\\\\app.example.com\\',
    'https://app.example.com\\@evil.example.com/',
    'https://app.example.com/<script>',
    'https://app.example.com/"',
    'https://äpp.example.com/',
    'https://app.example.com:99999/',
    'javascript:alert(1)',
    'JavaScript://app.example.com/%0aalert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://app.example.com/1',
    'myapp://callback',
  ])('%j is none', (uri) => {
    expect(isRedirectUri(uri, false)).toBe(false);
  });

  test('of a native application is one where the option allows it, and nothing that runs or shows is', () => {
    const wanted = ['myapp://callback', 'com.example.app:/callback', 'com.example.app:callback?x=1'];
    expect(wanted.map((uri) => isRedirectUri(uri, true))).toEqual([true, true, true]);
    const never = [
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///x',
      'blob:x',
      'http:x',
      'https:x',
      'my app://x',
    ];
    expect(never.filter((uri) => isRedirectUri(uri, true))).toEqual([]);
    expect(isRedirectUri('http://app.example.com/', true)).toBe(false);
  });

  test.each([
    ['https://a.example.com', null, 'https://a.example.com?code=c'],
    ['https://a.example.com/', 's', 'https://a.example.com/?code=c&state=s'],
    ['https://a.example.com/cb?x=1#f', 's', 'https://a.example.com/cb?x=1&code=c&state=s#f'],
    ['https://a.example.com/cb#f?x', '', 'https://a.example.com/cb?code=c&state=#f?x'],
    ['https://a.example.com/cb?', null, 'https://a.example.com/cb?code=c'],
    ['https://a.example.com/cb?x&', null, 'https://a.example.com/cb?x&code=c'],
    ['https://a.example.com/cb?x=%2F', 'a b/c&code=d#e', 'https://a.example.com/cb?x=%2F&code=c&state=a+b%2Fc%26code%3Dd%23e'],
    ['myapp://callback', 'ü', 'myapp://callback?code=c&state=%C3%BC'],
  ])('%s with state %j becomes %s', (uri, state, expected) => {
    expect(withCode(uri, 'c', state)).toBe(expected);
  });
});

describe('text in XML', () => {
  test('is escaped, also where it ends an attribute', () => {
    expect(escapeXml('a&b<c>d"e\t\n\r')).toBe('a&amp;b&lt;c&gt;d&quot;e&#x9;&#xA;&#xD;');
    expect(escapeXml('ä😀')).toBe('ä😀');
  });

  test('holds no characters that XML does not know', () => {
    const foreign = ['\0', '\u0008', '\u000b', '\u001f', '\ufffe', '\uffff', '\ud800', '\udc00'];
    expect(foreign.filter(isXmlText)).toEqual([]);
    expect(foreign.map(escapeXml)).toEqual(foreign.map(() => '\ufffd'));
    expect(isXmlText('https://a.example.com/?a=ä&b=😀\t')).toBe(true);
  });
});
