import { X509Certificate } from 'node:crypto';
import type { TestIdp } from '../saml-idp/idp.ts';
import type { PeerShape } from './shapes.ts';

/** What a browser posts to the service provider at the end of its visit to an identity provider. */
export interface PeerAnswer {
  /** Base64. */
  readonly samlResponse: string;
  readonly relayState: string;
}

/** What an administrator tells an identity provider about us. */
export interface ServiceProvider {
  /** The XML that `/.well-known/sp-metadata` answers. */
  readonly metadata: string;
  /** Whether requests must be signed with its key. */
  readonly mustSign: boolean;
}

/** An identity provider made of somebody else's library. */
export interface Peer {
  /** Its metadata, as the library writes it. */
  readonly metadata: string;
  /** Of attributes with several values the library may be able to send the first one only. */
  readonly sendsSeveralValues: boolean;
  /**
   * Takes the URL that a login answered, as if a browser had gone there, and signs somebody in.
   * @throws where the library does not accept the request
   */
  visit(url: string, sp: ServiceProvider, shape: PeerShape): Promise<PeerAnswer>;
  close(): Promise<void>;
}

/** Where the answer goes that a peer makes; identity providers compare it with what the request asks for. */
export const ACS = 'https://app.example.com/acs';

/** The certificate of a test identity provider as PEM. */
export function certificatePem(idp: TestIdp): string {
  return new X509Certificate(Buffer.from(idp.certificate, 'base64')).toString();
}

/** Its private key as PEM. */
export function privateKeyPem(idp: TestIdp): string {
  return `-----BEGIN PRIVATE KEY-----\n${idp.privateKey.replace(/.{64}/g, '$&\n').trim()}\n-----END PRIVATE KEY-----\n`;
}
