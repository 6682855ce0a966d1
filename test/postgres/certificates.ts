import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The certificate of an authority and a key pair with its certificate, as PEM files. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const openssl = (...words: readonly string[]): void => void execFileSync('openssl', words, { stdio: 'ignore' });
const newKey = (key: string): readonly string[] => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];

/** Makes an authority in a folder. */
export function makeAuthority(folder: string, name: string): KeyPair {
  const pair = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  openssl('req', '-x509', ...newKey(pair.key), '-out', pair.cert, '-subj', `/CN=${name}`, '-days', '2');
  return pair;
}

/** Makes a key pair whose certificate an authority signed. @param host a name for which a server has it */
export function issue(folder: string, authority: KeyPair, name: string, host?: string): KeyPair {
  const pair = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const [request, extensions] = [join(folder, `${name}.csr`), join(folder, `${name}.ext`)];
  writeFileSync(extensions, host === undefined ? 'extendedKeyUsage=clientAuth\n' : `subjectAltName=DNS:${host}\n`);
  openssl('req', ...newKey(pair.key), '-out', request, '-subj', `/CN=${name}`);
  const by = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial'];
  openssl('x509', '-req', '-in', request, ...by, '-days', '2', '-extfile', extensions, '-out', pair.cert);
  return pair;
}
