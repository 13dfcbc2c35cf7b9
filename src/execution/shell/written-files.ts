/**
 * Which files a line itself makes, so that running one of them runs a text that was not judged: `echo x > y; bash y`.
 */
import type { FoundProgram } from './find-programs.ts'
import type { ShellCommand } from './read-shell.ts'
import type { ShellWord } from './shell-word.ts'

/** Any of their words may name a file that they make, whatever it held before. */
const WRITERS = new Set('cp curl dd install ln mv patch rsync scp sponge split tee truncate wget'.split(' '))

function isWriter(name: string | null, words: readonly ShellWord[]): boolean {
  if (name === 'sed') return words.some(({ text }) => /^(?:-\w*i|--in-p)/.test(text))
  return name !== null && WRITERS.has(name)
}

/** Behind it stands a program: `rsync -e ssh`. */
const NAMES_PROGRAM = /^(?:-\w*e|--rsh)$/

/** Says of a program's or script's path, or of a program's name, whether it may be one that the commands make. */
export function writtenBy(
  commands: readonly { readonly command: ShellCommand; readonly programs: readonly FoundProgram[] }[],
): (path: string) => boolean {
  const outputs = commands.flatMap(({ command }) => command.outputs)
  const args = commands.flatMap(({ programs }) =>
    programs.flatMap(({ name, words }) =>
      isWriter(name, words) ? words.slice(1).filter((_, index) => !NAMES_PROGRAM.test(words[index]?.text ?? '')) : [],
    ),
  )
  const names = new Set([...outputs, ...args].filter(({ isKnown }) => isKnown).map(({ text }) => baseName(text)))
  const isAnything = outputs.some(({ isKnown }) => !isKnown)
  return (path) => names.has(baseName(path)) || (isAnything && path.includes('/'))
}

/** Also of `of=x` and `--output=x`. */
function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('=')) + 1)
}
