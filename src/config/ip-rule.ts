import { Remembered } from '../caches/remembered.ts';
import { RE2JS } from 're2js';
import { LIMITS } from './limits.ts';

/**
 * The expression behind an IP rule; it must match the whole address (contract 01 section 2.8). RE2 matches in linear
 * time: a tenant's own rule, asked at every request, must not hold up all others.
 */
export class IpRule {
  readonly #expression: RE2JS;

  /** @throws Error where the expression is malformed, asks for more than RE2 knows, or is too large */
  constructor(text: string) {
    if (text.length > LIMITS.ipRuleLength) throw new Error('too long an IP rule');
    if (repetitionsIn(text) > LIMITS.ipRuleStates) throw new Error('too many repetitions in an IP rule');
    this.#expression = RE2JS.compile(text);
    if (this.#expression.programSize() > LIMITS.ipRuleStates) throw new Error('too large an IP rule');
  }

  /** Whether the rule matches the whole of an address. */
  test(address: string): boolean {
    return this.#expression.matches(address);
  }
}

const REPETITION = /\{(\d+)(?:,(\d*))?\}/g;

/** The sum of the counts of all repetitions: each is compiled as a step of its own, and too many take seconds. */
function repetitionsIn(text: string): number {
  let sum = 0;
  for (const [, least, most] of text.matchAll(REPETITION)) sum += Number(most || least);
  return sum;
}

/** Texts already judged: a change of a domain asks about the same rule for each of its apps. */
const judged = new Remembered<string, boolean>(100);

/** Whether a text can be an IP rule. */
export function isIpRule(text: string): boolean {
  const known = judged.get(text);
  if (known !== undefined) return known;
  const verdict = compiles(text);
  judged.set(text, verdict);
  return verdict;
}

function compiles(text: string): boolean {
  try {
    return new IpRule(text) instanceof IpRule;
  } catch {
    return false;
  }
}
