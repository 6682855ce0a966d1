import { computed, signal } from '@preact/signals';
import { renewals } from '../ui/connection.ts';
import { setCoreClock } from '../ui/core-clock.ts';
import type { components } from '../generated/api.ts';

/** Who is signed in, as the core tells it. */
export type SignedIn = components['schemas']['AdminSignedInSignedIn'];

/** `asking` until the core has said it for the first time; `ended` where a session that the page had is over. */
export type State =
  | { readonly is: 'asking' }
  | { readonly is: 'signed-out' }
  | { readonly is: 'ended'; readonly email: string }
  | { readonly is: 'insecure'; readonly message: string }
  | { readonly is: 'signed-in'; readonly who: SignedIn };

export const state = signal<State>({ is: 'asking' });

/** The operator; undefined where nobody is signed in. */
export const operator = computed(() => (state.value.is === 'signed-in' ? state.value.who.operator : undefined));

export type Scope = 'read' | 'users' | 'tenants' | 'keys' | 'all';

/** Whether the operator's role opens what needs a scope. The core decides; the page only leaves out what it would refuse. */
export function can(scope: Scope): boolean {
  const scopes: readonly Scope[] = operator.value?.scopes ?? [];
  return scopes.includes('all') || scopes.includes(scope);
}

let token = '';

/** What every request that changes something carries (docs/admin.md). */
export const csrfToken = (): string => token;

/** Looks for a new token and for who is signed in, which some answers bring. */
export function noteAnswer(answer: object): void {
  if (!isSignedIn(answer)) return;
  token = answer.csrfToken;
  setCoreClock(answer.now);
  if (state.value.is === 'ended') renewals.value += 1;
  state.value = { is: 'signed-in', who: answer };
}

const isSignedIn = (answer: object): answer is SignedIn => 'csrfToken' in answer && 'operator' in answer;

/** The core says that the session is over: the page stays as it is below the form that begins another. */
export function endSession(): void {
  if (state.value.is === 'signed-in') state.value = { is: 'ended', email: state.value.who.operator.email };
}

export function signedOut(): void {
  state.value = { is: 'signed-out' };
}
