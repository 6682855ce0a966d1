/** Why calls of an endpoint that is not `GET` may leave no event in the trail. */
export const SILENCES = {
  reads: 'It changes nothing.',
  'sign-in': 'A sign-in changes nothing about the user: it is counted in the statistics, and failures over a limit are told of.',
  session: 'Sessions begin, go on and end as their users want; what a thief or an operator ends is told of.',
  step: 'A short-lived step towards a sign-in or a verification, or its removal; what comes of it is told of.',
  queue: 'The queue of imports is no user yet; each one is told of when it is imported.',
  'own-note': 'Back ends note their own addresses.',
} as const;

export type Silence = keyof typeof SILENCES;
