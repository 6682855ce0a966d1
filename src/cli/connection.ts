import { environment } from '../config/environment.ts';
import { ConnectionLost, type CoreAnswer, CoreClient, urlOf } from '../transfer/core-client.ts';
import type { Given } from '../transfer/command-line.ts';
import { UsageError } from '../transfer/command-line.ts';
import { CommandFault, EXIT } from './command.ts';
import type { Exchange, Method } from './exchange.ts';
import { harmless, harmlessJson } from './table.ts';
import { readSecret } from './terminal.ts';
import { version } from './version.ts';

/** The flags by which every command finds its core, app and tenant. */
export const CORE_FLAGS = {
  url: { value: 'URL', doc: 'the running core (http://localhost:3567)' },
  'api-key-file': { value: 'FILE', doc: 'file with the API key, - for standard input; else the variable WATCHWORD_API_KEY' },
  'data-dir': { value: 'DIR', doc: 'work on this data folder instead, with or without a core running on it' },
  config: { value: 'FILE', doc: 'with --data-dir: YAML file with the options of the core' },
  'app-id': { value: 'ID', doc: 'the app that is meant (public)' },
  'tenant-id': { value: 'ID', doc: 'the tenant that is meant (public)' },
  'connection-uri-domain': { value: 'DOMAIN', doc: 'the connection URI domain that is meant' },
  json: { doc: 'print the answer as JSON' },
} as const;

export type CoreFlags = Given<typeof CORE_FLAGS>;

/** The members of an answer. */
export type Members = Readonly<Record<string, unknown>>;

/** What is sent: query parameters (undefined ones are left out) or the members of a body. */
export interface Sent {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /** The recipe that is meant, where several share a path. */
  readonly rid?: string;
  /** With the path of the tenant; otherwise of the app. */
  readonly inTenant?: boolean;
}

/** An app and a tenant, as flags or operands name them. */
export interface Place {
  readonly appId?: string | undefined;
  readonly tenantId?: string | undefined;
}

/** A core as commands speak to it. */
export interface Core {
  /** Answers the members of a JSON answer of status 200. @throws CommandFault for any other */
  call<T = Members>(method: Method, path: string, sent?: Sent): Promise<T>;
  /** The same core, where another app or tenant is meant; undefined leaves it. */
  at(place: Place): Pick<Core, 'call'>;
  close(): Promise<void>;
}

const DEFAULT_URL = 'http://localhost:3567';

/** Opens the core that the flags name, works with it, and closes it. */
export async function withCore<T>(flags: CoreFlags, work: (core: Core) => Promise<T>): Promise<T> {
  const core = await openCore(flags);
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

/** Opens the core that the flags name. @throws UsageError, CommandFault */
export async function openCore(flags: CoreFlags): Promise<Core> {
  if (flags.url !== undefined && flags['data-dir'] !== undefined) throw new UsageError('Say where: either --url or --data-dir');
  if (flags['data-dir'] !== undefined) {
    const { openFolderCore } = await import('./folder-core.ts');
    const { exchange, close } = await openFolderCore(flags['data-dir'], flags.config, flags['connection-uri-domain']);
    return coreOf(placeOf(flags), `the folder ${flags['data-dir']}`, exchange, close);
  }
  const url = urlOf(flags.url ?? DEFAULT_URL);
  const client = new CoreClient({ url, apiKey: apiKeyOf(flags), appId: undefined, host: flags['connection-uri-domain'] });
  const exchange: Exchange = async (method, path, rid, body) => {
    try {
      return await client.call(method, path, body, rid);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      throw new CommandFault(`No core answers at ${url.href}: ${error.message}`, EXIT.unreachable);
    }
  };
  return coreOf(placeOf(flags), `the core at ${url.href}`, exchange, async () => client.close());
}

/** The key from its file, else from the environment; a flag would show it to everybody who lists processes. */
export function apiKeyOf(flags: { readonly 'api-key-file': string | undefined }): string | undefined {
  const file = flags['api-key-file'];
  return file === undefined ? environment()['WATCHWORD_API_KEY'] : readSecret('api-key-file', file);
}

const placeOf = (flags: CoreFlags): Place => ({ appId: flags['app-id'], tenantId: flags['tenant-id'] });

function coreOf(place: Place, name: string, exchange: Exchange, close: Core['close']): Core {
  const at = (other: Place): Pick<Core, 'call'> => ({
    call: caller({ appId: other.appId ?? place.appId, tenantId: other.tenantId ?? place.tenantId }, name, exchange),
  });
  return { ...at({}), at, close };
}

/** What ids of apps and tenants are made of; with others, a core takes the path for another one. */
const ID = /^[a-z0-9-]+$/i;

function segment(prefix: string, id: string | undefined): string {
  if (id === undefined) return '';
  if (!ID.test(id)) throw new CommandFault(`${id} can be no app or tenant: their ids are letters, digits and hyphens`, EXIT.notFound);
  return `/${prefix}${id}`;
}

function caller({ appId, tenantId }: Place, place: string, exchange: Exchange): Core['call'] {
  const ofApp = segment('appid-', appId);
  const ofTenant = ofApp + segment('', tenantId);
  return async <T>(method: Method, path: string, { query = {}, body, rid, inTenant = false }: Sent = {}): Promise<T> => {
    const named = Object.entries(query).filter(([, value]) => value !== undefined);
    const search =
      named.length === 0 ? '' : `?${new URLSearchParams(named.map(([name, value]): [string, string] => [name, String(value)]))}`;
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const answer = await exchange(method, `${inTenant ? ofTenant : ofApp}${path}${search}`, rid, sent);
    if (answer.status !== 200) throw refused(answer, `${method} ${path}`, place);
    return membersOf(answer.text, place) as T;
  };
}

/** Every answer of a core is an object with a status. */
function membersOf(text: string, place: string): Members {
  const answer = parsed(text);
  if (typeof answer === 'object' && answer !== null && 'status' in answer && typeof answer.status === 'string') return { ...answer };
  throw new CommandFault(`What answers as ${place} is no Watchword core`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused({ status, text }: CoreAnswer, request: string, place: string): CommandFault {
  const said = text.trim().slice(0, 1000);
  switch (status) {
    case 401:
      return new CommandFault(`${place} refuses the API key: ${said}. Set WATCHWORD_API_KEY or use --api-key-file`, EXIT.notAllowed);
    case 403:
      return new CommandFault(`${place} does not allow that: ${said}`, EXIT.notAllowed);
    case 404:
    case 405:
      return new CommandFault(`${place} does not know ${request}: it is older or newer than this command, which is version ${version()}`);
    case 503:
      return new CommandFault(`${place} is busy: ${said}`, EXIT.unreachable);
    default:
      if (said.startsWith('AppId or tenantId not found')) return new CommandFault(said, EXIT.notFound);
      return new CommandFault(`${place} answers ${status}: ${said}`);
  }
}

/** Prints an answer as JSON where that was asked for, else as people read it. */
export function show(flags: { readonly json: boolean }, print: (text: string) => void, answer: unknown, asText: () => string): void {
  print(flags.json ? `${harmlessJson(answer)}\n` : harmless(asText()));
}
