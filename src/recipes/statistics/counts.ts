/** What is counted by day. */
export const STATISTIC_NAMES = ['activeUsers', 'signIns', 'signInFailures', 'signUps', 'refreshes', 'thefts'] as const;

export type StatisticName = (typeof STATISTIC_NAMES)[number];

/** How often each happened. */
export type Counts = Readonly<Record<StatisticName, number>>;
