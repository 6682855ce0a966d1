import type { Element } from '@xmldom/xmldom';
import { demand } from './demand.ts';
import { attributeOf, childElements, childrenNamed, isNamed, onlyChild, optionalChild, textOf } from './elements.ts';
import { parseInstant } from './instant.ts';
import { NS } from './namespaces.ts';
import type { SamlExpectation } from './saml.ts';
import { trimXml } from './xml-text.ts';

/** A response whose signature holds. */
export interface ProvenResponse {
  /** The Response. Unproven (as received) where only the assertion was signed: it may then only cause a refusal. */
  readonly envelope: Element;
  readonly envelopeIsProven: boolean;
  /** Read from the signed bytes. */
  readonly assertion: Element;
}

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const ENTITY_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const CONDITIONS: ReadonlySet<string> = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);

/** How far IssueInstant may be off, either way (contract 06 section 1.3). */
const ISSUE_TOLERANCE_MS = 5 * 60_000;
/** Assertion ids are remembered no longer (contract 06 section 6.7). */
const LONGEST_MEMORY_MS = 24 * 60 * 60_000;
/** Added to the last moment at which an assertion is accepted: the clocks of several cores may differ. */
const MEMORY_MARGIN_MS = 60_000;

/** Demands all a response must say (contract 06 sections 2.5 and 6.6); answers until when (ms) its id is remembered. */
export function checkStatements(proven: ProvenResponse, expected: SamlExpectation): number {
  checkEnvelope(proven.envelope, expected);
  const { assertion } = proven;
  demand(isSaml2(assertion), 'an Assertion of another version');
  checkIssuer(onlyChild(assertion, NS.assertion, 'Issuer'), expected);
  const issued = parseInstant(attributeOf(assertion, 'IssueInstant') ?? '');
  // The lower bound refuses assertions so old that their id may have been forgotten already.
  const lowest = expected.now - LONGEST_MEMORY_MS + 2 * ISSUE_TOLERANCE_MS;
  demand(issued >= lowest && issued <= expected.now + ISSUE_TOLERANCE_MS, 'the Assertion was not issued just now');
  const confirmed = checkSubject(proven, expected);
  const valid = checkConditions(onlyChild(assertion, NS.assertion, 'Conditions'), expected);
  for (const statement of childrenNamed(assertion, NS.assertion, 'AuthnStatement')) {
    demand(notAfter(attributeOf(statement, 'SessionNotOnOrAfter'), expected), 'the session of the identity provider is over');
  }
  const last = Math.max(confirmed, valid ?? 0, issued + ISSUE_TOLERANCE_MS) + Math.max(expected.toleranceMs, 0) + MEMORY_MARGIN_MS;
  return Math.min(last, expected.now + LONGEST_MEMORY_MS);
}

const isSaml2 = (element: Element): boolean => /^2\.0$/.test(attributeOf(element, 'Version') ?? '');

function checkEnvelope(response: Element, expected: SamlExpectation): void {
  demand(isSaml2(response), 'a Response of another version');
  const code = onlyChild(onlyChild(response, NS.protocol, 'Status'), NS.protocol, 'StatusCode');
  demand(attributeOf(code, 'Value') === SUCCESS, 'the status is not success');
  const issuer = optionalChild(response, NS.assertion, 'Issuer');
  if (issuer) checkIssuer(issuer, expected);
  const issued = attributeOf(response, 'IssueInstant');
  demand(
    issued === undefined || Math.abs(parseInstant(issued) - expected.now) <= ISSUE_TOLERANCE_MS,
    'the Response was not issued just now',
  );
  const destination = attributeOf(response, 'Destination');
  demand(destination === undefined || isAddress(destination, expected), 'another Destination');
}

function checkIssuer(issuer: Element, { idpEntityId }: SamlExpectation): void {
  demand((attributeOf(issuer, 'Format') ?? ENTITY_FORMAT) === ENTITY_FORMAT, 'an Issuer of another format');
  demand(trimXml(textOf(issuer)) === trimXml(idpEntityId), 'another Issuer');
}

/** Where the identity provider began, the core may not know the address to expect. */
const isAddress = (address: string, { acsUrl }: SamlExpectation): boolean => acsUrl === undefined || address === acsUrl;

/** Answers the latest moment at which any confirmation, in whatever login, could hold. */
function checkSubject({ envelope, envelopeIsProven, assertion }: ProvenResponse, expected: SamlExpectation): number {
  const answered = attributeOf(envelope, 'InResponseTo');
  demand(answersUs(answered, expected), 'an answer to another request');
  const subject = onlyChild(assertion, NS.assertion, 'Subject');
  const confirmations = childrenNamed(subject, NS.assertion, 'SubjectConfirmation')
    .filter((confirmation) => attributeOf(confirmation, 'Method') === BEARER)
    .map((confirmation) => optionalChild(confirmation, NS.assertion, 'SubjectConfirmationData'))
    .filter((data) => data !== undefined);
  const proven = envelopeIsProven ? answered : undefined;
  demand(
    confirmations.some((data) => confirms(data, proven, expected)),
    'no SubjectConfirmation that holds',
  );
  const ends = confirmations.map((data) => parseInstant(attributeOf(data, 'NotOnOrAfter') ?? ''));
  return Math.max(...ends.filter((end) => !Number.isNaN(end)));
}

/** @param proven what the Response says it answers, if that was signed */
function confirms(data: Element, proven: string | undefined, expected: SamlExpectation): boolean {
  const [end, recipient, answered] = ['NotOnOrAfter', 'Recipient', 'InResponseTo'].map((name) => attributeOf(data, name));
  // An answer to no request passes only if the IdP may begin: else a relay state could be forced on somebody.
  const solicited = answered !== undefined || proven !== undefined || expected.allowsUnsolicited;
  return (
    end !== undefined &&
    notAfter(end, expected) &&
    attributeOf(data, 'NotBefore') === undefined &&
    (recipient === undefined || isAddress(recipient, expected)) &&
    answersUs(answered, expected) &&
    solicited
  );
}

/** Where the identity provider began, `requestIds` is empty: an answer to a request is then a stolen one. */
const answersUs = (inResponseTo: string | undefined, { requestIds }: SamlExpectation): boolean =>
  inResponseTo === undefined || requestIds.includes(inResponseTo);

/** Whether a moment, where one is given, has not passed; what cannot be parsed has. */
const notAfter = (text: string | undefined, { now, toleranceMs }: SamlExpectation): boolean =>
  text === undefined || now <= parseInstant(text) + toleranceMs;

/** Answers the end of validity, if one is named. */
function checkConditions(conditions: Element, expected: SamlExpectation): number | undefined {
  const from = attributeOf(conditions, 'NotBefore');
  demand(from === undefined || expected.now >= parseInstant(from) - expected.toleranceMs, 'not valid yet');
  const end = attributeOf(conditions, 'NotOnOrAfter');
  demand(notAfter(end, expected), 'not valid any more');
  const children = childElements(conditions);
  demand(
    children.every((child) => child.namespaceURI === NS.assertion && CONDITIONS.has(child.localName ?? '')),
    'an unknown condition',
  );
  const restrictions = children.filter((child) => isNamed(child, NS.assertion, 'AudienceRestriction'));
  const forUs = (restriction: Element): boolean =>
    childrenNamed(restriction, NS.assertion, 'Audience').some((audience) => trimXml(textOf(audience)) === expected.audience);
  demand(restrictions.length > 0 && restrictions.every(forUs), 'another audience');
  return end === undefined ? undefined : parseInstant(end);
}
