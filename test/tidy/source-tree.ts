import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { PROJECT_ROOT } from '../running-core.ts';

/** One source file as the rules of the house see it. */
export interface SourceFile {
  /** Path from the project's folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments blanked out, line by line the same. */
  readonly code: string;
  /** `code` with the contents of strings and templates blanked out too. */
  readonly bare: string;
  /** Files of this project it imports (types as well), as paths from the project's folder. */
  readonly imports: readonly string[];
  /** Packages it imports, `node:` modules left out. */
  readonly packages: readonly string[];
}

/** All TypeScript files below the given folders of the project, generated ones left out. */
export function readSources(...folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => posix.join(folder, name.split(sep).join('/')))
      .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('src/generated/'))
      .map(readSource),
  );
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(PROJECT_ROOT, path), 'utf8');
  const code = blank(text, COMMENTS);
  const specifiers = [...code.matchAll(IMPORT)].map((match) => String(match[1] ?? match[2]));
  return {
    path,
    text,
    code,
    bare: blank(text, COMMENTS_AND_STRINGS),
    imports: specifiers
      .filter((one) => one.startsWith('.'))
      .map((one) =>
        relative(PROJECT_ROOT, join(PROJECT_ROOT, dirname(path), one))
          .split(sep)
          .join('/'),
      ),
    packages: specifiers.filter((one) => !one.startsWith('.') && !one.startsWith('node:')),
  };
}

/** Static imports and re-exports, side-effect imports, and dynamic imports of a literal. */
const IMPORT = /(?:^|[\s;}])(?:import|export)\s(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

const STRING = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/;
const TEMPLATE = /`(?:\\.|[^`\\])*`/;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//;
/** A regular expression stands where a value may begin. */
const PATTERN = /(?<=(?:^|[=(,:[!&|?{};\n]|=>|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/;

const TOKENS = new RegExp([STRING, TEMPLATE, COMMENT, PATTERN].map((token) => `(${token.source})`).join('|'), 'g');
const COMMENTS = (token: string): boolean => /^\/[/*]/.test(token);
const COMMENTS_AND_STRINGS = (): boolean => true;

/** Replaces the tokens that `unwanted` names with spaces, keeping quotes, line breaks and columns. */
function blank(text: string, unwanted: (token: string) => boolean): string {
  return text.replace(TOKENS, (token) => {
    if (!unwanted(token)) return token;
    const quoted = /^['"`]/.test(token);
    const inside = (quoted ? token.slice(1, -1) : token).replace(/[^\n]/g, ' ');
    return quoted ? `${token[0]}${inside}${token[0]}` : inside;
  });
}

/** The number of the line an index of a text falls in, from 1. */
export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Functions by where they begin and how many lines they take, from the opening to the closing brace of the body. */
export function functionsOf(file: SourceFile): readonly { readonly line: number; readonly lines: number }[] {
  const found: { line: number; lines: number }[] = [];
  const open: { readonly line: number; readonly isFunction: boolean }[] = [];
  let line = 1;
  for (let at = 0; at < file.bare.length; at += 1) {
    const character = file.bare[at];
    if (character === '\n') line += 1;
    else if (character === '{') open.push({ line, isFunction: opensFunction(file.bare.slice(Math.max(0, at - 400), at)) });
    else if (character === '}') {
      const begun = open.pop();
      if (begun?.isFunction) found.push({ line: begun.line, lines: line - begun.line + 1 });
    }
  }
  return found;
}

/** A body follows an arrow, or a parameter list (with its return type) that belongs to no statement. */
function opensFunction(before: string): boolean {
  const text = before.trimEnd();
  if (text.endsWith('=>')) return true;
  const list = /\)(?:\s*:\s*[^;{}()=]+)?$/.exec(text);
  if (!list) return false;
  let depth = 0;
  for (let at = list.index; at >= 0; at -= 1) {
    if (text[at] === ')') depth += 1;
    if (text[at] === '(') depth -= 1;
    if (depth === 0) return !/\b(?:if|for|while|switch|catch|with|await)\s*$/.test(text.slice(0, at));
  }
  return true;
}
