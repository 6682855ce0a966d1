import { decodeBase64 } from '../base64.ts';
import { parseJsonObject } from '../../json/free-form.ts';

/** What a browser says that it was asked, by whom (contract 07 section 7.1). */
export interface ClientData {
  readonly type: string;
  readonly challenge: Buffer;
  readonly origin: string;
  readonly isCrossOrigin: boolean;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the bytes of `clientDataJSON`; undefined where a member is missing or of another type. */
export function readClientData(bytes: Buffer): ClientData | undefined {
  const object = parseJsonObject(textOf(bytes) ?? '');
  if (!object) return undefined;
  const { type, challenge: encoded, origin, crossOrigin = null } = object;
  if (typeof type !== 'string' || typeof encoded !== 'string' || typeof origin !== 'string') return undefined;
  if (crossOrigin !== null && typeof crossOrigin !== 'boolean') return undefined;
  const challenge = decodeBase64(encoded, 'url');
  return 'error' in challenge ? undefined : { type, challenge: challenge.bytes, origin, isCrossOrigin: crossOrigin === true };
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
