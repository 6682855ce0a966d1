/**
 * Settings of sessions. Plans keep to the primary key and to the order of the keys they are given: with few rows a scan
 * would seem cheaper; what is switched off counts as so dear that PostgreSQL would compile the plan, for 70 ms each.
 * Who waits for a lock longer than this lets others go first; who holds locks and is not heard of again loses them.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  lock_timeout: '200',
  idle_in_transaction_session_timeout: '10000',
};

/** Those of connections rather than transactions: what a node held whose machine died is given free in a minute. */
export const SESSION: Readonly<Record<string, string>> = {
  // Of statements that are transactions by themselves; a space is written so in the options of a session.
  default_transaction_isolation: 'read\\ committed',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
};
