import { createHash, type KeyObject } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import { type HashAlgorithm, type SignatureAlgorithm, SignedXml } from 'xml-crypto';
import { demand, Unacceptable } from './demand.ts';
import { DIGEST_METHODS, isSignedBy, SIGNATURE_METHODS } from './signature-methods.ts';
import { ENVELOPED, NS } from './namespaces.ts';
import { keepRareLineEnds } from './xml-text.ts';

/**
 * The bytes that a signature covers, in canonical form, if one of the keys made it (contract 06 section 6.1 steps 10
 * and 11). Keys are never taken from the document.
 * @param xml the received text
 * @param signature a node of the parse of that very text, of the shape that `shapeOf` demands. (Not its serialisation:
 * `&#13;` in SignatureValue would become a line feed, and xml-crypto would not find the signature again.)
 * @returns the bytes as text, and the key
 */
export function signedBytes(
  xml: string,
  signature: Element,
  keys: readonly KeyObject[],
): { readonly bytes: string; readonly by: KeyObject } {
  const [first] = keys;
  demand(first !== undefined, 'no certificate with a key that counts');
  const checker = new SignedXml({ publicCert: first, getCertFromKeyInfo: () => null });
  checker.idAttributes = ['ID'];
  const { [NS.exclusiveC14n]: exclusive, [ENVELOPED]: enveloped } = checker.CanonicalizationAlgorithms;
  demand(exclusive !== undefined && enveloped !== undefined, 'no canonicalisation');
  checker.CanonicalizationAlgorithms = { [NS.exclusiveC14n]: exclusive, [ENVELOPED]: enveloped };
  checker.HashAlgorithms = HASH_ALGORITHMS;
  let by: KeyObject | undefined;
  checker.SignatureAlgorithms = signatureAlgorithms(keys, (key) => {
    by = key;
  });
  const [bytes, ...more] = check(checker, xml, signature);
  demand(bytes !== undefined && by !== undefined && more.length === 0, 'not one signed part');
  return { bytes, by };
}

function check(checker: SignedXml, xml: string, signature: Element): readonly string[] {
  let holds: boolean;
  try {
    // Declared for the nodes of browsers, which these stand in for.
    checker.loadSignature(signature as never);
    holds = checker.checkSignature(keepRareLineEnds(xml)) === true;
  } catch {
    // A wrong value throws and a wrong digest answers false; the texts quote the document.
    throw new Unacceptable('the signature does not hold');
  }
  demand(holds, 'the digest does not agree');
  return checker.getSignedReferences();
}

const HASH_ALGORITHMS: SignedXml['HashAlgorithms'] = Object.fromEntries(
  Array.from(DIGEST_METHODS, ([uri, hash]) => [uri, hasher(uri, hash)]),
);

function hasher(uri: string, hash: string): new () => HashAlgorithm {
  return class {
    getAlgorithmName(): string {
      return uri;
    }
    getHash(xml: string): string {
      return createHash(hash).update(xml, 'utf8').digest('base64');
    }
  };
}

/** @param onFound told which key made a signature */
function signatureAlgorithms(keys: readonly KeyObject[], onFound: (key: KeyObject) => void): SignedXml['SignatureAlgorithms'] {
  return Object.fromEntries(
    Array.from(SIGNATURE_METHODS, ([uri, method]) => [
      uri,
      verifier(uri, (bytes, signature) => {
        const key = keys.find((each) => isSignedBy(each, method, bytes, signature));
        if (key) onFound(key);
        return key !== undefined;
      }),
    ]),
  );
}

/** @param holds tries all keys on one canonical form, which costs much more than a signature does */
function verifier(uri: string, holds: (bytes: Buffer, signature: Buffer) => boolean): new () => SignatureAlgorithm {
  return class {
    getAlgorithmName(): string {
      return uri;
    }
    getSignature(): never {
      throw new Error('made for checking');
    }
    verifySignature(material: string, _key: unknown, value: string): boolean {
      return holds(Buffer.from(material), Buffer.from(value, 'base64'));
    }
  };
}
