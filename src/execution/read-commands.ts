/**
 * The commands in a command line as the approval policy judges them: every one, also inside substitutions, behind `;` and `&&`,
 * in the script of a `bash -c` and behind wrappers (`sudo rm` is a `sudo` and an `rm`). Called by src/approvals.
 *
 * What must hold: what nobody can know before the shell runs stands as an unknown word (null), never as an ordinary one.
 */
import type { CommandReading } from '../core/approval-policy.ts'
import { findProgram, findScripts, findStarts, nameOf, readsUnknownScript } from './program.ts'
import { readShell, type SimpleCommand } from './shell-syntax.ts'

const MAX_SCRIPT_DEPTH = 5
const UNKNOWN: CommandReading = { words: [null], isPlain: false }

/** At least one. */
export function readCommands(line: string): readonly CommandReading[] {
  const readings = readScript(line, 0)
  return readings.length === 0 ? [{ words: [], isPlain: true }] : readings
}

function readScript(script: string, depth: number): CommandReading[] {
  const { commands, isTooDeep } = readShell(script)
  if (isTooDeep || depth > MAX_SCRIPT_DEPTH) return [UNKNOWN]
  return commands.flatMap((command) => readCommand(command, depth))
}

function readCommand(command: SimpleCommand, depth: number): CommandReading[] {
  const { words, outputs } = command
  const starts = startsIn(words)
  const keepsToItself = starts[0] === 0 && starts.length === 1 && outputs.every(isHarmlessOutput)
  const readings = starts.map((start): CommandReading => {
    const hasMore = starts.some((other) => other < start && FED.has(nameOf(words[other] ?? '')))
    const known = words.slice(start).map(readWord)
    const read = hasMore ? [...known, null] : known
    return { words: read, isPlain: keepsToItself && !read.includes(null) }
  })
  const program = findProgram(words)
  if (program === null) return readings
  if (program.name === 'find') readings.push(...readFindActions(program.args))
  if (readsUnknownScript(program, command)) readings.push(UNKNOWN)
  return [...readings, ...findScripts(program, command).flatMap((script) => readScript(script, depth + 1))]
}

/** They add words of their input to the command. */
const FED = new Set(['xargs', 'parallel'])

/** Also behind a bracket that opens in the middle: `coproc NAME { rm x; }`. */
function startsIn(words: readonly string[]): readonly number[] {
  const inner = words.flatMap((word, at) => (at > 0 && word === '{' ? [at + 1] : []))
  return [...new Set([...findStarts(words), ...inner])]
}

/** `find . -exec rm -rf {} +` runs an `rm -rf`. */
function readFindActions(args: readonly string[]): CommandReading[] {
  return args.flatMap((word, index) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) return []
    const rest = args.slice(index + 1)
    const end = rest.findIndex((one) => one === ';' || one === '+')
    const words = rest.slice(0, end === -1 ? rest.length : end)
    return findStarts(words).map((start) => ({ words: words.slice(start).map(readWord), isPlain: false }))
  })
}

/** Substitutions, variables and braces may become any words; a pattern in the place of the program may become any program. */
function readWord(word: string, index: number): string | null {
  if (/\$|\{[^}]*(?:,|\.\.)[^}]*\}/.test(word)) return null
  return index === 0 && /[*?[]/.test(word) && word !== '[' && word !== '[[' ? null : word
}

/** Nothing that stays: `/dev/null`, `2>&1`. */
function isHarmlessOutput(target: string): boolean {
  return /^(?:\d|-|\/dev\/null|\/dev\/stdout|\/dev\/stderr)$/.test(target)
}
