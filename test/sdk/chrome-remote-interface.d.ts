declare module 'chrome-remote-interface' {
  /** A page of a browser, by the Chrome DevTools Protocol. */
  interface Client {
    send(method: string, params?: object): Promise<Readonly<Record<string, unknown>>>;
    close(): Promise<void>;
  }
  /** Connects to the first page of the browser whose debugging port this is. */
  export default function connect(options: { readonly host: string; readonly port: number; readonly local: true }): Promise<Client>;
}
