import type { Commands } from '../../generated/commands.ts';
import { isJsonObject, type JsonText, type JsonTree, parseJson } from '../../json/free-form.ts';
import type { Reader } from '../../store/store.ts';
import { oldestUserWith } from '../accounts/oldest-user.ts';
import { membersOf } from '../accounts/login-methods.ts';
import type { InternalUserId } from '../accounts/ids.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../normalise.ts';
import { type InvalidOptions, invalidOptions, isChoice, notAChoice, orDefault, readTerms } from './check-options.ts';
import { credentialsOf } from './credentials.ts';
import { newOptions } from './options.ts';
import { type CredentialRecord, type OptionsRecord, webauthnOptions } from './records.ts';

type Command = Commands['webauthn/register-options'];

/** What a browser is given to make a passkey with. */
export interface RegisterOptions {
  readonly status: 'OK';
  readonly options: OptionsRecord & { readonly email: string };
  /** What the authenticator keeps the passkey under: the user's id, or else that of the options. */
  readonly userHandle: string;
  readonly displayName: string;
  readonly attestation: string;
  readonly residentKey: string;
  /** Passkeys whose authenticators shall not make another. */
  readonly excluded: readonly CredentialRecord[];
}

const DEFAULT_ALGORITHMS: readonly number[] = [-8, -7, -257];
/** COSE has some fifty in all. */
const MOST_ALGORITHMS = 100;

/** `POST /recipe/webauthn/options/register` (contract 07 section 2.1). Nothing checks whether the email is taken. */
export async function registerOptions(context: Context, command: Command): Promise<RegisterOptions | InvalidOptions> {
  const { store, tenant } = context;
  const { relyingPartyId, relyingPartyName, origin, userPresence = false } = command;
  const terms = readTerms(command, tenant.config.webauthn_strict_origin);
  if ('reason' in terms) return terms;
  const attestation = orDefault(command.attestation, 'none');
  if (!isChoice('attestation', attestation)) return notAChoice('attestation', attestation);
  const residentKey = orDefault(command.residentKey, 'required');
  if (!isChoice('residentKey', residentKey)) return notAChoice('residentKey', residentKey);
  const algorithms = readAlgorithms(command.supportedAlgorithmIDs ?? command.supportedAlgorithmIds);
  if ('reason' in algorithms) return algorithms;
  const email = normaliseEmail(command.email);
  const given = { relyingPartyId, relyingPartyName, origin, email, ...terms, isPresenceRequired: userPresence, ...algorithms };
  const options = { ...newOptions(context, given), email };
  const user = await store.read((reader) => oldestUserWith(reader, tenant, ['email', email]));
  const excluded =
    user !== undefined && tenant.config.webauthn_exclude_credentials
      ? await store.read((reader) => credentialsOfUser(reader, user, options))
      : [];
  await store.transact((tx) => tx.insert(webauthnOptions, options));
  const displayName = orDefault(command.displayName, email);
  return { status: 'OK', options, userHandle: user ?? options.id, displayName, attestation, residentKey, excluded };
}

async function credentialsOfUser(
  reader: Reader,
  user: InternalUserId,
  { app, relyingPartyId }: OptionsRecord,
): Promise<CredentialRecord[]> {
  const members = await membersOf(reader, app, user);
  const found = await Promise.all(members.map((member) => credentialsOf(reader, app, member.id)));
  return found.flat().filter((credential) => credential.relyingPartyId === relyingPartyId);
}

function readAlgorithms(given: JsonText | undefined): { readonly algorithms: readonly number[] } | InvalidOptions {
  if (given === undefined) return { algorithms: DEFAULT_ALGORITHMS };
  const items = parseJson(given);
  if (!Array.isArray(items) || items.length > MOST_ALGORITHMS) return invalidOptions(`At most ${MOST_ALGORITHMS} algorithms can be named`);
  const algorithms: number[] = [];
  for (const item of items) {
    const algorithm = intOf(item);
    if (algorithm === undefined) return invalidOptions(`For input string: "${shown(item)}"`);
    algorithms.push(algorithm);
  }
  return { algorithms };
}

const LEAST_INT = -(2 ** 31);
const MOST_INT = 2 ** 31 - 1;

/** A number without its fraction, or a text of digits. */
function intOf(item: JsonTree): number | undefined {
  const isText = typeof item === 'string' && /^[+-]?\d+$/.test(item);
  const number = typeof item === 'number' || isText ? Math.trunc(Number(item)) : Number.NaN;
  return number >= LEAST_INT && number <= MOST_INT ? number : undefined;
}

const shown = (item: JsonTree): string => (Array.isArray(item) || isJsonObject(item) ? JSON.stringify(item) : String(item));
