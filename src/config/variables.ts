import { nearestName, strangerText } from './nearest-name.ts';
import { environmentName, OPTION_NAMES } from './options.ts';

/** Of the environment only names that begin like ours are judged: all others may be meant for somebody else. */
const OURS = /^(?:WATCHWORD|SUPERTOKENS)_/;

/** What container platforms set for a service that has our name (Kubernetes, Docker links). */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT|_PORT_\d+_/;
const SERVICE_ADDRESS = /^(?:tcp|udp):\/\//;

/** Read by commands and tests, and by no core. */
const OF_COMMANDS: ReadonlySet<string> = new Set(['WATCHWORD_API_KEY', 'WATCHWORD_CONFORMANCE', 'WATCHWORD_REFERENCE_DATABASE']);

/** Of the reference core, and without a meaning here. */
const OF_REFERENCE: ReadonlySet<string> = new Set(['SUPERTOKENS_MIGRATION_MODE']);

const KNOWN: readonly string[] = OPTION_NAMES.flatMap((name) => environmentName(name) ?? []);

/** Whether a container platform set the variable, for a service of our name: it says nothing to us. */
export function isServiceLink(variable: string, value: string): boolean {
  return OURS.test(variable) && (SERVICE_LINK.test(variable) || SERVICE_ADDRESS.test(value));
}

/** What the environment holds besides options. */
export interface StrangeVariables {
  /** A text for each variable that looks like one of ours and is none. */
  readonly faults: readonly string[];
  /** Those of the reference core that mean nothing here. */
  readonly ignored: readonly string[];
}

/** Judges the variables whose names begin like ours and are no option's; an empty one counts as not set. */
export function strangeVariables(environment: Readonly<Record<string, string | undefined>>): StrangeVariables {
  const strange = Object.entries(environment)
    .filter(([name, value]) => value && OURS.test(name) && !KNOWN.includes(name) && !OF_COMMANDS.has(name) && !isServiceLink(name, value))
    .map(([name]) => name);
  return {
    faults: strange.filter((name) => !OF_REFERENCE.has(name)).map(faultOf),
    ignored: strange.filter((name) => OF_REFERENCE.has(name)),
  };
}

const withoutPrefix = (name: string): string => name.replace(OURS, '');

function faultOf(name: string): string {
  return strangerText(`environment variable: ${name}`, nearestName(name, KNOWN, withoutPrefix));
}
