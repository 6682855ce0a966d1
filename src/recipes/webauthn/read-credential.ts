import { decodeBase64 } from '../../crypto/base64.ts';
import { type Attestation, readAttestation } from '../../crypto/webauthn/attestation.ts';
import { type AuthenticatorData, readAuthenticatorData } from '../../crypto/webauthn/authenticator-data.ts';
import { type ClientData, readClientData } from '../../crypto/webauthn/client-data.ts';
import { type CoseKey, readCoseKey } from '../../crypto/webauthn/cose-key.ts';
import { isJsonObject, type JsonObject, type JsonText, type JsonTree, parseJsonObject } from '../../json/free-form.ts';
import { type Failure, invalidCredentials } from './outcomes.ts';

/** What a browser answers to options to register, read but not judged. */
export interface Registration {
  /** As the client spells it. */
  readonly id: string;
  readonly clientData: ClientData;
  readonly attestation: Attestation;
  /** None where the authenticator sent none. */
  readonly key: CoseKey | undefined;
  readonly transports: readonly string[];
}

/** What a browser answers to options to sign in, read but not judged. */
export interface Assertion {
  readonly id: string;
  readonly clientData: ClientData;
  readonly clientDataBytes: Buffer;
  readonly data: AuthenticatorData;
  readonly dataBytes: Buffer;
  readonly signature: Buffer;
}

export type ReadCredential<T> = { readonly credential: T } | { readonly failure: Failure };

const MALFORMED = { failure: invalidCredentials('Input data does not match expected form') };
const BAD_LAYOUT = { failure: invalidCredentials('provided data does not have proper byte layout') };

/** Kept with each passkey, and told by the client: browsers know some six short ones. */
const MOST_TRANSPORTS = 16;
const LONGEST_TRANSPORT = 64;

/** Reads `PublicKeyCredential.toJSON()` of a registration (contract 07 section 7.1). */
export function readRegistration(text: JsonText): ReadCredential<Registration> {
  const read = readEnvelope(text);
  if ('failure' in read) return read;
  const { id, response } = read.envelope;
  const transports = readTransports(response['transports']);
  const clientData = readClientData(bytesOf(response, 'clientDataJSON') ?? NOTHING);
  const attestation = readAttestation(bytesOf(response, 'attestationObject') ?? NOTHING);
  if (!transports || !clientData || !attestation) return MALFORMED;
  const { attested } = attestation.data;
  const key = attested && readCoseKey(attested.publicKey);
  if (attested && !key) return MALFORMED;
  return { credential: { id, clientData, attestation, key, transports } };
}

/** Reads `PublicKeyCredential.toJSON()` of a sign-in (contract 07 section 7.1). */
export function readAssertion(text: JsonText): ReadCredential<Assertion> {
  const read = readEnvelope(text);
  if ('failure' in read) return read;
  const { id, response } = read.envelope;
  const clientDataBytes = bytesOf(response, 'clientDataJSON');
  const dataBytes = bytesOf(response, 'authenticatorData');
  const signature = bytesOf(response, 'signature');
  const clientData = clientDataBytes && readClientData(clientDataBytes);
  if (!clientData || !dataBytes || !signature || !isOptionalBytes(response['userHandle'])) return MALFORMED;
  const data = readAuthenticatorData(dataBytes);
  return data ? { credential: { id, clientData, clientDataBytes, data, dataBytes, signature } } : BAD_LAYOUT;
}

const NOTHING = Buffer.alloc(0);

interface Envelope {
  readonly id: string;
  readonly response: JsonObject;
}

/** The members around `response`, in the order in which the contract complains (contract 07 section 3). */
function readEnvelope(text: JsonText): { readonly envelope: Envelope } | { readonly failure: Failure } {
  const object = parseJsonObject(text);
  if (!object) return MALFORMED;
  const missing = nameFault(object, 'id') ?? nameFault(object, 'type');
  if (missing !== undefined) return { failure: invalidCredentials(missing) };
  const { id, type, response } = object;
  if (typeof type !== 'string' || type.toLowerCase() !== 'public-key')
    return { failure: invalidCredentials(`not supported credential type: '${typeof type === 'string' ? type : JSON.stringify(type)}'`) };
  const areOthersRight =
    isOptionalBytes(object['rawId']) &&
    isOptionalText(object['authenticatorAttachment']) &&
    isOptionalObject(object['clientExtensionResults']);
  if (typeof id !== 'string' || !isBytes(id) || !isJsonObject(response) || !areOthersRight) return MALFORMED;
  return { envelope: { id, response } };
}

function nameFault(object: JsonObject, name: 'id' | 'type'): string | undefined {
  const value = object[name] ?? null;
  if (value === null) return `credential ${name} is missing!`;
  return value === '' ? `credential ${name} is empty!` : undefined;
}

/** The bytes of a member that must be there. */
function bytesOf(object: JsonObject, name: string): Buffer | undefined {
  const value = object[name];
  const decoded = typeof value === 'string' ? decodeBase64(value, 'url') : undefined;
  return decoded && 'bytes' in decoded ? decoded.bytes : undefined;
}

const isBytes = (text: string): boolean => 'bytes' in decodeBase64(text, 'url');
const isOptionalText = (value: JsonTree | undefined): boolean => value === undefined || value === null || typeof value === 'string';
const isOptionalBytes = (value: JsonTree | undefined): boolean => isOptionalText(value) && (typeof value !== 'string' || isBytes(value));
const isOptionalObject = (value: JsonTree | undefined): boolean => value === undefined || value === null || isJsonObject(value);

function readTransports(value: JsonTree | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MOST_TRANSPORTS) return undefined;
  const isTransport = (each: JsonTree): each is string => typeof each === 'string' && each.length <= LONGEST_TRANSPORT;
  return value.every(isTransport) ? value : undefined;
}
