import { core, ok } from '../../app/api.ts';
import { BASE_PLACE, type Place, PUBLIC } from '../../app/place.ts';
import type { components } from '../../generated/api.ts';

/** An option in force, and whose it is. */
export type Option = components['schemas']['ManagementShowConfigAnswer']['options'][number];
export type Source = Option['source'];

/** What an option is without one of the levels: `value` counts there. */
export interface Layer {
  readonly source: Source;
  readonly option: Option;
}

/** The first of these that sets an option is in force. */
export const PRECEDENCE: readonly Source[] = ['tenant', 'app', 'connection-uri-domain', 'flag', 'environment', 'file', 'default'];

/** An option with what would be in force at each level around: the first layer is what is. */
export interface Explained {
  readonly option: Option;
  readonly layers: readonly Layer[];
  /** Levels of the process that it comes before; what they say is not known, as they are not in force. */
  readonly hidden: readonly Source[];
}

/** The places around one, from itself to the base tenant, each once. */
function around(at: Place): readonly Place[] {
  const app = { ...at, tenantId: PUBLIC };
  const domain = { ...app, appId: PUBLIC };
  const keys = new Map(
    [at, app, domain, BASE_PLACE].map((one) => [JSON.stringify([one.connectionUriDomain, one.appId, one.tenantId]), one]),
  );
  return [...keys.values()];
}

/** The options in force at a place, with what the levels around say. @throws Refused */
export async function readOptions(at: Place, signal: AbortSignal): Promise<readonly Explained[]> {
  const answers = await Promise.all(around(at).map((one) => ok(core(one).GET('/manage/v1/config', { signal }))));
  const [own, ...outer] = answers.map(({ options }) => new Map(options.map((option) => [option.name, option])));
  return [...(own?.values() ?? [])].map((option) =>
    explained(
      option,
      outer.flatMap((options) => options.get(option.name) ?? []),
    ),
  );
}

/** @param outer the same option at the places around, the nearest first */
export function explained(option: Option, outer: readonly Option[]): Explained {
  const layers: Layer[] = [];
  for (const one of [option, ...outer]) {
    if (!layers.some(({ source }) => source === one.source)) layers.push({ source: one.source, option: one });
  }
  const last = layers.at(-1)?.source ?? 'default';
  return { option, layers, hidden: PRECEDENCE.slice(PRECEDENCE.indexOf(last) + 1).filter(isOfProcess) };
}

const isOfProcess = (source: Source): boolean => PRECEDENCE.indexOf(source) > PRECEDENCE.indexOf('connection-uri-domain');
