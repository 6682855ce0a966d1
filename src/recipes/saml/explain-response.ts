import {
  type ArrivedResponse,
  type CheckOutcome,
  type SamlAnswer,
  SAML_CHECKS,
  type SamlCheck,
  type SamlExpectation,
} from '../../crypto/saml/saml.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { CHECK_WORDS, type Seen } from './check-words.ts';
import { identityIn, type SamlUser } from './redeem-code.ts';

/** A check in words for the people who connect an identity provider. */
export type ExplainedCheck = {
  readonly check: SamlCheck | 'replay';
  readonly title: string;
  /** `skipped`: not reached, because of a check before it. */
  readonly outcome: 'held' | 'failed' | 'skipped';
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  /** As the log names it. */
  readonly fault?: string | undefined;
  /** What to do about it. */
  readonly change?: string | undefined;
};

/** What came of a response, and why. */
export type TestExplanation = {
  /** One or two sentences. */
  readonly summary: string;
  readonly checks: readonly ExplainedCheck[];
  /** What would not keep anybody from logging in, but be in the way of the application. */
  readonly warnings: readonly string[];
  /** The time by which it was checked, ms since the epoch. */
  readonly checkedAt?: number;
  /** What the response says; nothing of it is proven unless `isProven`. */
  readonly response?: ArrivedResponse | undefined;
  /** But for the values of signatures and ciphers. */
  readonly xml?: string | undefined;
  /** What a back end would hear; for an accepted response. */
  readonly user?: Pick<SamlUser, 'sub' | 'email'>;
};

/** What stands around a response. */
interface Circumstances {
  readonly expected: SamlExpectation;
  readonly tenant: Tenant;
  /** Whether the assertion was used before; undefined where nobody looked. */
  readonly isReplay: boolean | undefined;
}

/** Tells in words how a response was checked; it decides nothing. */
export function explainResponse(checked: SamlAnswer, { expected, tenant, isReplay }: Circumstances): TestExplanation {
  const { outcomes, arrived, xml } = checked.report ?? { outcomes: [UNREAD], arrived: undefined, xml: undefined };
  const seen: Seen = { expected, arrived };
  const shown = SAML_CHECKS.filter((check) => check !== 'decryption' || arrived?.isEncrypted);
  const checks = shown.map((check) =>
    explained(
      check,
      outcomes.find((outcome) => outcome.check === check),
      seen,
    ),
  );
  if (isReplay !== undefined) checks.push(explained('replay', replayOutcome(checked, isReplay), seen));
  const claims = checked.status === 'OK' ? Object.entries(checked.claims) : [];
  const user = checked.status === 'OK' && isReplay !== true ? identityIn(claims, tenant.config.saml_email_attributes) : undefined;
  return {
    summary: summaryOf(checks),
    checks,
    warnings: user ? warningsAbout(user, seen, tenant) : [],
    checkedAt: expected.now,
    response: arrived,
    xml,
    ...(user && { user }),
  };
}

/** Where the verifier tells nothing: too long to be looked at, or too slow. */
const UNREAD: CheckOutcome = { check: 'response', fault: 'too long, or checking took too long' };

const replayOutcome = ({ status }: SamlAnswer, isReplay: boolean) =>
  status === 'OK' ? { fault: isReplay ? 'the Assertion was used before' : undefined } : undefined;

function explained(check: SamlCheck | 'replay', outcome: Pick<CheckOutcome, 'fault'> | undefined, seen: Seen): ExplainedCheck {
  const { title, expected, found, change } = CHECK_WORDS[check];
  if (!outcome) return { check, title, outcome: 'skipped' };
  const compared = { check, title, expected: expected?.(seen), found: found?.(seen) };
  if (outcome.fault === undefined) return { ...compared, outcome: 'held' };
  return { ...compared, outcome: 'failed', fault: outcome.fault, change: change(seen) };
}

function summaryOf(checks: readonly ExplainedCheck[]): string {
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  const [first] = failed;
  if (!first) return 'The response was accepted: a login like this one would have gone well.';
  const more = failed.length > 1 ? ` ${failed.length - 1} more of the checks failed, too.` : '';
  return `The response was refused: ${first.fault ?? ''}.${more}`;
}

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

function warningsAbout({ sub, email }: Pick<SamlUser, 'sub' | 'email'>, { arrived }: Seen, { config }: Tenant): readonly string[] {
  const attributes = config.saml_email_attributes.join(', ');
  const cases: readonly (readonly [boolean, string])[] = [
    [email === null, `No email was found: send it as one of ${attributes}, or name its attribute in the option saml_email_attributes.`],
    [sub === null, 'Nothing names the user: have the identity provider send a NameID.'],
    [
      arrived?.assertion?.nameIdFormat === TRANSIENT,
      'The NameID is transient: every login would be a new user. Choose the format persistent at the identity provider.',
    ],
  ];
  return cases.filter(([applies]) => applies).map(([, text]) => text);
}
