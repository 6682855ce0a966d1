/** Why calls of an endpoint that is not `GET` may leave no event in the trail. */
export const SILENCES = {
  reads: 'It changes nothing.',
  secrets: 'It changes nothing: it shows secrets or signs a token.',
  'sign-in': 'A sign-in changes nothing about the user: it is counted in the statistics, and failures over a limit are told of.',
  session: 'Sessions begin and go on as their users want; what a thief ends is told of.',
  ended: 'Users end their sessions; what an operator ends is told of.',
  step: 'A short-lived step towards a sign-in or a verification, or its removal; what comes of it is told of.',
  queue: 'The queue of imports is no user yet; each one is told of when it is imported.',
  'own-note': 'Back ends note their own addresses.',
} as const;

export type Silence = keyof typeof SILENCES;

/** Where an operator who calls leaves no event either: nothing is changed, or the verb tells of operators by itself. */
const FOR_OPERATORS: ReadonlySet<Silence> = new Set(['reads', 'ended']);

/** Whether a call of an operator has to be told of, since that of a back end is not. */
export const tellsOperators = (silence: Silence | undefined): boolean => silence !== undefined && !FOR_OPERATORS.has(silence);
