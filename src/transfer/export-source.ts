import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject, type JsonObject, toJsonText } from '../json/free-form.ts';
import { USER_DATA } from '../recipes/recipes.ts';
import { lineOf, LOSSES, type Loss } from '../recipes/management/exported-user.ts';
import { countAllUsers, readUsers } from '../recipes/users/read-users.ts';
import type { Reader } from '../store/store.ts';
import { CoreClient, urlOf } from './core-client.ts';
import { openApp, type OpenApp } from './data-folder.ts';
import { ImportFault } from './outcome.ts';
import { ask, objectIn, Patience, refusal } from './patience.ts';

/** Users of an export, read at once. */
export interface ExportPage {
  /** JSON of those that can be written. */
  readonly lines: readonly string[];
  /** How many users these are made of. */
  readonly seen: number;
  /** What was left out, and how often. */
  readonly losses: ReadonlyMap<Loss, number>;
  /** How much of the whole is read by now, up to 1; undefined where that is not known. */
  readonly part: number | undefined;
}

/** Where an export reads. */
export interface ExportSource {
  /** Gives all users, by their internal ids, to somebody who may take his time over each page. @throws ImportFault */
  readonly read: (take: (page: ExportPage) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The flags that name a place. */
interface Place {
  readonly url: string | undefined;
  readonly 'data-dir': string | undefined;
  readonly config: string | undefined;
  readonly 'app-id': string | undefined;
  readonly 'connection-uri-domain': string | undefined;
}

/** Opens a core or a folder. @throws UsageError, ImportFault, ConfigError */
export async function openExport(flags: Place, apiKey: string | undefined, signal: AbortSignal): Promise<ExportSource> {
  const { url, 'app-id': appId, 'connection-uri-domain': domain, 'data-dir': dataDir = '', config: configFile } = flags;
  if (url !== undefined) return coreSource(new CoreClient({ url: urlOf(url), apiKey, appId, host: domain }), signal);
  return folderSource(await openApp({ dataDir, configFile, appId, connectionUriDomain: domain }, 'export'));
}

/** Users of one moment. */
function folderSource(app: OpenApp): ExportSource {
  return {
    read: (take) =>
      app.store.read(async (reader) => {
        for await (const page of pagesOfFolder(app, reader)) await take(page);
      }),
    close: () => app.close(),
  };
}

async function* pagesOfFolder({ tenant, directory }: OpenApp, reader: Reader): AsyncGenerator<ExportPage> {
  const total = await countAllUsers(reader, tenant.app);
  let read = 0;
  for await (const users of readUsers(reader, tenant.app)) {
    // Memory is given back between turns of the event loop, and signals come in.
    await nextTurn();
    const losses = new Map<Loss, number>();
    const lines: string[] = [];
    for (const user of users) {
      const onLoss = (loss: Loss): void => void losses.set(loss, (losses.get(loss) ?? 0) + 1);
      const line = await lineOf(reader, { tenant, directory, userData: USER_DATA }, user, onLoss);
      if (line !== undefined) lines.push(line);
    }
    read += users.length;
    yield { lines, seen: users.length, losses, part: total === 0 ? undefined : read / total };
  }
}

/** Users that are asked for at once. */
const PAGE = 100;
/** A core that is away for longer ends the export. */
const LONGEST_MS = 60_000;

function coreSource(client: CoreClient, signal: AbortSignal): ExportSource {
  return {
    read: async (take) => {
      const patience = new Patience({ longestMs: LONGEST_MS, signal, onTrouble: () => undefined });
      for (let token: string | undefined = ''; token !== undefined; ) {
        const from: string = token === '' ? '' : `&paginationToken=${encodeURIComponent(token)}`;
        const answer = await ask(client, 'GET', `/manage/v1/export/users?limit=${PAGE}${from}`);
        if ('reason' in answer) {
          await patience.wait(answer);
          continue;
        }
        patience.calm();
        if (answer.status === 404) throw new ImportFault('The core does not know how to export: it is older than this command.');
        if (answer.status !== 200) throw refusal(answer, 'export');
        const page = objectIn(answer);
        await take(pageIn(page));
        const { nextPaginationToken: next } = page;
        token = typeof next === 'string' ? next : undefined;
      }
    },
    close: () => Promise.resolve(client.close()),
  };
}

const isLoss = (name: string): name is Loss => Object.hasOwn(LOSSES, name);

function pageIn({ users = [], losses }: JsonObject): ExportPage {
  const lines = Array.isArray(users) ? users.filter(isJsonObject).map(toJsonText) : [];
  const told = losses !== undefined && isJsonObject(losses) ? Object.entries(losses) : [];
  const counted = told.flatMap(([name, times]) => (isLoss(name) ? [[name, Number(times)] as const] : []));
  const found = new Map(counted);
  return { lines, seen: lines.length + (found.get('no-method') ?? 0), losses: found, part: undefined };
}
