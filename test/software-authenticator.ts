import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { encodeCBOR } from '@levischuck/tiny-cbor';

/** What both kinds of options tell an authenticator. */
interface Asked {
  readonly challenge: string;
}

/** Where an answer shall differ from that of an honest browser with an honest authenticator. */
export interface Twist {
  /** Members of the client data in place of the right ones. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  readonly relyingPartyId?: string;
  /** Instead of user present, user verified and, in a registration, attested data. */
  readonly flags?: number;
  readonly counter?: number;
  /** Put behind the authenticator data. */
  readonly tail?: Buffer;
  readonly format?: string;
  readonly statement?: ReadonlyMap<string | number, unknown>;
  readonly aaguid?: Buffer;
  /** Instead of the authenticator's own key. */
  readonly coseKey?: Buffer;
  /** In place of the right signature. */
  readonly signature?: Buffer;
}

type Cose = Map<string | number, string | number | Uint8Array>;

interface Kind {
  readonly digest: string | null;
  readonly make: () => { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly coseOf: (jwk: Readonly<Record<string, unknown>>) => Cose;
}

const bytes = (text: unknown): Uint8Array => new Uint8Array(Buffer.from(String(text), 'base64url'));

const ec = (curve: string, label: number, algorithm: number, digest: string): Kind => ({
  digest,
  make: () => generateKeyPairSync('ec', { namedCurve: curve }),
  coseOf: ({ x, y }) =>
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, algorithm],
      [-1, label],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]),
});

const rsa = (algorithm: number, digest: string): Kind => ({
  digest,
  make: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  coseOf: ({ n, e }) =>
    new Map<number, number | Uint8Array>([
      [1, 3],
      [3, algorithm],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ]),
});

/** Every algorithm of the interface by its COSE number. */
export const KINDS: Readonly<Record<string, Kind>> = {
  '-7': ec('P-256', 1, -7, 'sha256'),
  '-35': ec('P-384', 2, -35, 'sha384'),
  '-36': ec('P-521', 3, -36, 'sha512'),
  '-8': {
    digest: null,
    make: () => generateKeyPairSync('ed25519'),
    coseOf: ({ x }) =>
      new Map<number, number | Uint8Array>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytes(x)],
      ]),
  },
  '-257': rsa(-257, 'sha256'),
  '-258': rsa(-258, 'sha384'),
  '-259': rsa(-259, 'sha512'),
  '-65535': rsa(-65535, 'sha1'),
};

const FLAG = { present: 0x01, verified: 0x04, attested: 0x40 } as const;
const base64url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');
export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();
export const cbor = (value: unknown): Buffer => Buffer.from(encodeCBOR(value as Parameters<typeof encodeCBOR>[0]));

export interface AuthenticatorOptions {
  readonly relyingPartyId?: string;
  readonly origin?: string;
  /** COSE number. */
  readonly algorithm?: number;
  readonly format?: 'none' | 'packed';
  readonly credentialId?: Buffer;
  /** False for one that presents 0 always. */
  readonly counts?: boolean;
}

/** An authenticator with one passkey, and the browser around it, in software. */
export class SoftwareAuthenticator {
  readonly credentialId: Buffer;
  readonly #options: Required<Omit<AuthenticatorOptions, 'credentialId'>>;
  readonly #kind: Kind;
  readonly #privateKey: KeyObject;
  readonly #coseKey: Buffer;
  #counter = 0;

  constructor(given: AuthenticatorOptions = {}) {
    this.#options = { relyingPartyId: 'example.com', origin: 'https://example.com', algorithm: -7, format: 'none', counts: true, ...given };
    const kind = KINDS[String(this.#options.algorithm)];
    if (!kind) throw new Error(`no algorithm ${this.#options.algorithm}`);
    this.#kind = kind;
    const { publicKey, privateKey } = kind.make();
    this.#privateKey = privateKey;
    this.#coseKey = cbor(kind.coseOf(publicKey.export({ format: 'jwk' })));
    this.credentialId = given.credentialId ?? randomBytes(32);
  }

  /** As clients spell it. */
  get id(): string {
    return base64url(this.credentialId);
  }

  /** `PublicKeyCredential.toJSON()` of `navigator.credentials.create()`. */
  create(asked: Asked, twist: Twist = {}) {
    const clientData = this.#clientData('webauthn.create', asked, twist);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const attested = Buffer.concat([twist.aaguid ?? Buffer.alloc(16), length, this.credentialId, twist.coseKey ?? this.#coseKey]);
    const flags = twist.flags ?? FLAG.present | FLAG.verified | FLAG.attested;
    const authData = this.#authenticatorData(flags, flags & FLAG.attested ? attested : Buffer.alloc(0), twist);
    const format = twist.format ?? this.#options.format;
    const attStmt = twist.statement ?? (format === 'packed' ? this.#packed(authData, clientData) : new Map());
    const attestationObject = cbor(
      new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', attStmt],
        ['authData', new Uint8Array(authData)],
      ]),
    );
    return {
      ...this.#envelope(),
      response: { clientDataJSON: base64url(clientData), attestationObject: base64url(attestationObject), transports: ['internal'] },
    };
  }

  /** `PublicKeyCredential.toJSON()` of `navigator.credentials.get()`. */
  get(asked: Asked, twist: Twist = {}) {
    const clientData = this.#clientData('webauthn.get', asked, twist);
    const data = this.#authenticatorData(twist.flags ?? FLAG.present | FLAG.verified, Buffer.alloc(0), twist);
    const signature = twist.signature ?? this.#sign(data, clientData);
    return {
      ...this.#envelope(),
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: null,
      },
    };
  }

  #envelope() {
    const { id } = this;
    return { id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} };
  }

  #clientData(type: string, { challenge }: Asked, { clientData }: Twist): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#options.origin, crossOrigin: false, ...clientData }));
  }

  #authenticatorData(flags: number, attested: Buffer, twist: Twist): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(twist.counter ?? (this.#options.counts ? this.#counter++ : 0), 1);
    return Buffer.concat([sha256(twist.relyingPartyId ?? this.#options.relyingPartyId), head, attested, twist.tail ?? Buffer.alloc(0)]);
  }

  #sign(data: Buffer, clientData: Buffer): Buffer {
    return sign(this.#kind.digest, Buffer.concat([data, sha256(clientData)]), this.#privateKey);
  }

  /** A statement made with the passkey itself. */
  #packed(data: Buffer, clientData: Buffer): ReadonlyMap<string, unknown> {
    return new Map<string, unknown>([
      ['alg', this.#options.algorithm],
      ['sig', new Uint8Array(this.#sign(data, clientData))],
    ]);
  }
}
