/** How bad a finding is: as it should be; good to know; will be bad one day or for some; is bad now. */
export type Severity = 'ok' | 'note' | 'warning' | 'problem';

/** What a check found, in one line. */
export interface Verdict {
  readonly severity: Severity;
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** A verdict, and which check it is from. */
export interface Finding extends Verdict {
  readonly check: string;
}

export const ok = (text: string): Verdict => ({ severity: 'ok', text });
export const note = (text: string, remedy: string): Verdict => ({ severity: 'note', text, remedy });
export const warning = (text: string, remedy: string): Verdict => ({ severity: 'warning', text, remedy });
export const problem = (text: string, remedy: string): Verdict => ({ severity: 'problem', text, remedy });
