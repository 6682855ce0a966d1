import type { TestProject } from 'vitest/node';
import { findPostgres, startPostgres } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the private PostgreSQL of this run; none where its programs are not installed. */
    readonly postgresUrl: string | undefined;
  }
}

/** Starts the private PostgreSQL that the tests of a run share, each in a schema of its own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const bin = findPostgres();
  if (bin === undefined) {
    console.log('PostgreSQL is not installed: what is played on it is left out.');
    project.provide('postgresUrl', undefined);
    return undefined;
  }
  const server = await startPostgres(bin);
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
