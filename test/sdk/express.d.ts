/** The little of Express that the test application uses; the package brings no types of its own. */
declare module 'express' {
  import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

  export interface Request extends IncomingMessage {
    readonly body?: unknown;
  }
  export interface Response extends ServerResponse {
    status(code: number): this;
    json(body: unknown): this;
  }
  export type NextFunction = (error?: unknown) => void;
  export type Handler = (request: Request, response: Response, next: NextFunction) => unknown;
  export type ErrorHandler = (error: unknown, request: Request, response: Response, next: NextFunction) => unknown;
  export interface Express extends RequestListener {
    set(setting: string, value: unknown): this;
    use(...handlers: readonly (Handler | ErrorHandler)[]): this;
    get(path: string, ...handlers: readonly Handler[]): this;
    post(path: string, ...handlers: readonly Handler[]): this;
    listen(port: number, host: string, ready: () => void): Server;
  }
  interface Creator {
    (): Express;
    json(): Handler;
  }
  const express: Creator;
  export default express;
}
