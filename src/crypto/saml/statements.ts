import type { Element } from '@xmldom/xmldom';
import type { Checking } from './checking.ts';
import { attempt, demand, Unacceptable } from './demand.ts';
import { attributeOf, childElements, childrenNamed, onlyChild, optionalChild, textOf } from './elements.ts';
import { parseInstant } from './instant.ts';
import { NS } from './namespaces.ts';
import type { SamlCheck, SamlExpectation } from './saml.ts';
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

/** What a response must say, and how it is checked (contract 06 sections 2.5, 6.6); the first fault is the reason. */
const STATEMENTS: readonly (readonly [check: SamlCheck, holds: (proven: ProvenResponse, expected: SamlExpectation) => void])[] = [
  ['status', checkStatus],
  ['issuer', checkIssuers],
  ['issued', checkIssued],
  ['destination', checkDestination],
  ['request', ({ envelope }, expected) => demand(answersUs(attributeOf(envelope, 'InResponseTo'), expected), ANOTHER_REQUEST)],
  ['subject', checkSubject],
  ['validity', checkValidity],
  ['audience', checkAudience],
  ['session', checkSession],
];

/**
 * Demands all that a response must say; answers until when (ms) its id is remembered. All statements are looked at,
 * so that whoever asks why it was refused hears of every fault.
 */
export function checkStatements(proven: ProvenResponse, expected: SamlExpectation, checking: Checking): number {
  const attempts = STATEMENTS.map(([check, holds]) => attempt(() => checking.run(check, () => holds(proven, expected))));
  const refused = attempts.find((each) => 'reason' in each);
  demand(refused === undefined, refused?.reason ?? '');
  const { assertion } = proven;
  const issued = parseInstant(attributeOf(assertion, 'IssueInstant') ?? '');
  const ends = confirmationsOf(assertion).map((data) => parseInstant(attributeOf(data, 'NotOnOrAfter') ?? ''));
  const valid = attributeOf(onlyChild(assertion, NS.assertion, 'Conditions'), 'NotOnOrAfter');
  const moments = [...ends.filter((end) => !Number.isNaN(end)), valid === undefined ? 0 : parseInstant(valid), issued + ISSUE_TOLERANCE_MS];
  return Math.min(Math.max(...moments) + Math.max(expected.toleranceMs, 0) + MEMORY_MARGIN_MS, expected.now + LONGEST_MEMORY_MS);
}

const isSaml2 = (element: Element): boolean => /^2\.0$/.test(attributeOf(element, 'Version') ?? '');

function checkStatus({ envelope, assertion }: ProvenResponse): void {
  demand(isSaml2(envelope), 'a Response of another version');
  const code = onlyChild(onlyChild(envelope, NS.protocol, 'Status'), NS.protocol, 'StatusCode');
  demand(attributeOf(code, 'Value') === SUCCESS, 'the status is not success');
  demand(isSaml2(assertion), 'an Assertion of another version');
}

function checkIssuers({ envelope, assertion }: ProvenResponse, expected: SamlExpectation): void {
  const issuer = optionalChild(envelope, NS.assertion, 'Issuer');
  if (issuer) checkIssuer(issuer, expected);
  checkIssuer(onlyChild(assertion, NS.assertion, 'Issuer'), expected);
}

function checkIssuer(issuer: Element, { idpEntityId }: SamlExpectation): void {
  demand((attributeOf(issuer, 'Format') ?? ENTITY_FORMAT) === ENTITY_FORMAT, 'an Issuer of another format');
  demand(trimXml(textOf(issuer)) === trimXml(idpEntityId), 'another Issuer');
}

function checkIssued({ envelope, assertion }: ProvenResponse, { now }: SamlExpectation): void {
  const answered = attributeOf(envelope, 'IssueInstant');
  const isNow = answered === undefined || Math.abs(parseInstant(answered) - now) <= ISSUE_TOLERANCE_MS;
  demand(isNow, 'the Response was not issued just now');
  const issued = parseInstant(attributeOf(assertion, 'IssueInstant') ?? '');
  // The lower bound refuses assertions so old that their id may have been forgotten already.
  const lowest = now - LONGEST_MEMORY_MS + 2 * ISSUE_TOLERANCE_MS;
  demand(issued >= lowest && issued <= now + ISSUE_TOLERANCE_MS, 'the Assertion was not issued just now');
}

function checkDestination({ envelope }: ProvenResponse, expected: SamlExpectation): void {
  const destination = attributeOf(envelope, 'Destination');
  demand(destination === undefined || isAddress(destination, expected), 'another Destination');
}

/** Where the identity provider began, the core may not know the address to expect. */
const isAddress = (address: string, { acsUrl }: SamlExpectation): boolean => acsUrl === undefined || address === acsUrl;

/** The data of all bearer confirmations. */
const confirmationsOf = (assertion: Element): readonly Element[] =>
  childrenNamed(onlyChild(assertion, NS.assertion, 'Subject'), NS.assertion, 'SubjectConfirmation')
    .filter((confirmation) => attributeOf(confirmation, 'Method') === BEARER)
    .map((confirmation) => optionalChild(confirmation, NS.assertion, 'SubjectConfirmationData'))
    .filter((data) => data !== undefined);

function checkSubject({ envelope, envelopeIsProven, assertion }: ProvenResponse, expected: SamlExpectation): void {
  const proven = envelopeIsProven ? attributeOf(envelope, 'InResponseTo') : undefined;
  const faults = confirmationsOf(assertion).map((data) => faultOf(data, proven, expected));
  if (faults.includes(undefined)) return;
  throw new Unacceptable(`no SubjectConfirmation that holds: ${faults[0] ?? 'no bearer with SubjectConfirmationData'}`);
}

/** @param proven what the Response says it answers, if that was signed */
function faultOf(data: Element, proven: string | undefined, expected: SamlExpectation): string | undefined {
  const [end, recipient, answered] = ['NotOnOrAfter', 'Recipient', 'InResponseTo'].map((name) => attributeOf(data, name));
  if (end === undefined) return 'no NotOnOrAfter';
  if (!notAfter(end, expected)) return 'over';
  if (attributeOf(data, 'NotBefore') !== undefined) return 'a NotBefore';
  if (recipient !== undefined && !isAddress(recipient, expected)) return 'another Recipient';
  if (!answersUs(answered, expected)) return ANOTHER_REQUEST;
  // An answer to no request passes only if the IdP may begin: else a relay state could be forced on somebody.
  return answered !== undefined || proven !== undefined || expected.allowsUnsolicited ? undefined : 'no signed InResponseTo';
}

const ANOTHER_REQUEST = 'an answer to another request';

/** Where the identity provider began, `requestIds` is empty: an answer to a request is then a stolen one. */
const answersUs = (inResponseTo: string | undefined, { requestIds }: SamlExpectation): boolean =>
  inResponseTo === undefined || requestIds.includes(inResponseTo);

/** Whether a moment, where one is given, has not passed; what cannot be parsed has. */
const notAfter = (text: string | undefined, { now, toleranceMs }: SamlExpectation): boolean =>
  text === undefined || now <= parseInstant(text) + toleranceMs;

function checkValidity({ assertion }: ProvenResponse, expected: SamlExpectation): void {
  const conditions = onlyChild(assertion, NS.assertion, 'Conditions');
  const from = attributeOf(conditions, 'NotBefore');
  demand(from === undefined || expected.now >= parseInstant(from) - expected.toleranceMs, 'not valid yet');
  demand(notAfter(attributeOf(conditions, 'NotOnOrAfter'), expected), 'not valid any more');
  const areKnown = childElements(conditions).every((child) => child.namespaceURI === NS.assertion && CONDITIONS.has(child.localName ?? ''));
  demand(areKnown, 'an unknown condition');
}

function checkAudience({ assertion }: ProvenResponse, { audience: ours }: SamlExpectation): void {
  const restrictions = childrenNamed(onlyChild(assertion, NS.assertion, 'Conditions'), NS.assertion, 'AudienceRestriction');
  const forUs = (restriction: Element): boolean =>
    childrenNamed(restriction, NS.assertion, 'Audience').some((audience) => trimXml(textOf(audience)) === ours);
  demand(restrictions.length > 0 && restrictions.every(forUs), 'another audience');
}

function checkSession({ assertion }: ProvenResponse, expected: SamlExpectation): void {
  for (const statement of childrenNamed(assertion, NS.assertion, 'AuthnStatement')) {
    demand(notAfter(attributeOf(statement, 'SessionNotOnOrAfter'), expected), 'the session of the identity provider is over');
  }
}
