import { environmentName, flagName, type OptionName, optionOf } from './options.ts';

/** Parameters of a URL that are secrets as its password is. */
const SECRET_PARAMETERS = ['password', 'sslpassword'];

/** Whether a URL holds a password, or may, being none. */
export function holdsPassword(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { password, hash, searchParams } = new URL(url);
  // A password with a # in it ends there.
  return password !== '' || hash !== '' || SECRET_PARAMETERS.some((name) => searchParams.has(name));
}

/** Whether an option can be given as a flag at all. */
export const mayBeFlag = (name: OptionName): boolean => optionOf(name).secret !== true;

/** What is wrong with the value of a flag that others on the machine would see; undefined where it is no secret. */
export function secretInFlag(name: OptionName, value: string): string | undefined {
  const { secret } = optionOf(name);
  if (secret === undefined || (secret === 'with-password' && !holdsPassword(value))) return undefined;
  const flag = `Flag --${flagName(name)} would show a secret to everybody who lists processes`;
  if (secret === true) return `${flag}: use the variable ${environmentName(name)} or the file of --config`;
  return `${flag}: leave the password out, and use the variable PGPASSWORD or the file of --postgres-password-file`;
}
