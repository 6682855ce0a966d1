import { checkResponse } from '../src/crypto/saml/check-response.ts';
import { readMetadata } from '../src/crypto/saml/metadata.ts';
import type { SamlXml } from '../src/crypto/saml/saml.ts';
import { performs } from '../src/lanes/perform.ts';

/** Reads or checks XML documents: milliseconds, or up to three seconds for the largest and deepest. */
export default performs<SamlXml>({ readIdpMetadata: readMetadata, checkSamlResponse: checkResponse });
