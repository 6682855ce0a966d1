import type { Command as Program } from 'commander';
import { UsageError } from '../transfer/command-line.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Words that may follow a command. */
interface Offer {
  /** The words before, such as `api-key add`; empty at the top. */
  readonly after: string;
  readonly words: readonly string[];
}

function offers(program: Program, after = ''): readonly Offer[] {
  const names = program.commands.map((command) => command.name());
  const flags = program.options.map(({ long }) => long ?? '');
  const below = program.commands.flatMap((command) => offers(command, `${after} ${command.name()}`.trim()));
  return [{ after, words: [...names, ...flags, '--help'] }, ...below];
}

const cases = (all: readonly Offer[]): string => all.map(({ after, words }) => `    '${after}') words='${words.join(' ')}' ;;`).join('\n');

const known = (all: readonly Offer[]): readonly string[] => all.flatMap(({ after }) => (after === '' ? [] : [after]));

/* The words that lead to a command end at the first that is none, such as a user. */

const BASH = (all: readonly Offer[]): string => `_watchword() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' next word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case '|${known(all).join('|')}|' in
      *"|$next|"*) path=$next ;;
      *) break ;;
    esac
  done
  case "$path" in
${cases(all)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _watchword watchword
`;

const FISH_PATH = (all: readonly Offer[]): string => `function __watchword_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    contains -- $next ${known(all)
      .map((after) => `'${after}'`)
      .join(' ')}
    or break
    set path $next
  end
  echo $path
end
`;

const SCRIPTS: Readonly<Record<Shell, (all: readonly Offer[]) => string>> = {
  bash: BASH,
  zsh: (all) => `autoload -U +X bashcompinit && bashcompinit\n${BASH(all)}`,
  fish: (all) =>
    `${FISH_PATH(all)}complete -c watchword -f\n${all
      .map(({ after, words }) => `complete -c watchword -n "test (__watchword_path) = '${after}'" -a '${words.join(' ')}'`)
      .join('\n')}\n`,
};

/** `watchword completion`. */
export const COMPLETION = {
  name: 'completion',
  operands: ['[SHELL]'],
  about: 'Prints a script that completes commands in a shell: bash (the default), zsh or fish.',
  examples: ['completion bash > /etc/bash_completion.d/watchword', 'completion fish > ~/.config/fish/completions/watchword.fish'],
  flags: {},
} as const;

/** The script for a shell. @param program with every command loaded @throws UsageError for other shells */
export function completionScript(program: Program, named = 'bash'): string {
  const shell = SHELLS.find((one) => one === named);
  if (!shell) throw new UsageError(`${named} is none of ${SHELLS.join(', ')}`);
  return SCRIPTS[shell](offers(program));
}
