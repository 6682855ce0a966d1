/** What the front knows of the browser that sent a request. */
export interface Browser {
  /** As `peerText` writes it: the TCP peer's, or what a trusted proxy tells. */
  readonly address: string;
  /** Scheme and host that stand in its address bar. */
  readonly origin: string;
  /** Why nobody can sign in over this connection, as a sentence for people; undefined where they can. */
  readonly insecure: string | undefined;
}
