import type { CoreAnswer } from '../transfer/core-client.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Sends one request. @param path with app, tenant and query @param rid the recipe that is meant */
export type Exchange = (method: Method, path: string, rid: string | undefined, body: Buffer | undefined) => Promise<CoreAnswer>;
