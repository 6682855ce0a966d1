#!/usr/bin/env node

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '-v': ['version'],
  '--version': ['version'],
  '-h': ['help'],
  '--help': ['help'],
};

const words = process.argv.slice(2);
const [first = 'start'] = words;
const isStart = first === 'start' || (first.startsWith('-') && !Object.hasOwn(ALIASES, first));

// The core reads its options itself, from what stands behind the word `start`; its help comes from the same table.
if (isStart && !words.some((word) => word === '--help' || word === '-h')) {
  if (words[0] === 'start') process.argv.splice(2, 1);
  await import('./main.ts');
} else {
  const { runProgram } = await import('./cli/program.ts');
  await runProgram(isStart && first !== 'start' ? ['start', ...words] : (ALIASES[first] ?? words));
}
