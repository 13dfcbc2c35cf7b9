/**
 * What no task may run, for any role: commands that destroy a whole machine or home, mostly by mistake. Checked before
 * every command. It is a guard rail, not a wall: who wants around it finds a way, which is what the sandbox is for.
 *
 * What must hold: a refusal names the command, what it would do and what is allowed instead, since a planner reads it;
 * and the same programs pass on everything that is not a root (`rm -rf build`).
 */
import { findDanger, findDangerousOutput, type Danger, type CallPlace, type ProgramCall } from './deny-rules.ts'
import { findPrograms, type FoundProgram } from './find-programs.ts'
import { readShell, type ShellCommand } from './read-shell.ts'
import { isRootLike } from './root-like.ts'
import { HOME_MARK, type ShellWord } from './shell-word.ts'

/** The system takes no longer argument than 128 KiB. */
const MAX_COMMAND_BYTES = 100_000
/** `bash -c "bash -c …"` */
const MAX_SCRIPT_DEPTH = 5
/** Of all depths together: `find -exec find … bash -c` gives its text to as many shells as it has ways to be read. */
const MAX_READ_CHARS = 3 * MAX_COMMAND_BYTES
const MAX_SHOWN_LENGTH = 120

/** Why this command line is not run, for the user and the planner; null: nothing against it. */
export function explainRefusal(command: string): string | null {
  if (command.includes('\0') || !command.isWellFormed()) {
    return 'The command was not run: it contains NUL or broken characters. Write bytes with printf and escapes.'
  }
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    return `The command was not run: it is longer than ${MAX_COMMAND_BYTES} bytes. Write long text to a file in several commands.`
  }
  return explainScript(command, { depth: 0, budget: { charsLeft: MAX_READ_CHARS } })
}

/** Where a script stands in the line. */
interface ScriptPlace {
  readonly depth: number
  /** Of the whole line. */
  readonly budget: { charsLeft: number }
}

function explainScript(script: string, { depth, budget }: ScriptPlace): string | null {
  budget.charsLeft -= script.length
  const isTooMuch = depth > MAX_SCRIPT_DEPTH || budget.charsLeft < 0
  const { commands, forkBombs, isTooDeep } = readShell(isTooMuch ? '' : script)
  if (isTooDeep || isTooMuch) {
    return 'The command was not run: commands stand in each other too deeply to be checked. Split it into several commands.'
  }
  const [bomb] = forkBombs
  if (bomb !== undefined) {
    return `The command was not run: the function "${bomb}" would start itself without end. Call it a fixed number of times.`
  }
  let place: CallPlace = { isAtRoot: false }
  for (const command of commands) {
    const programs = findPrograms(command).filter(({ isGuess }) => !isGuess)
    const danger = dangerOf(command, programs, place)
    if (danger !== null) return refuse(command, danger)
    for (const { text } of programs.flatMap(({ scripts }) => scripts).filter(({ isGuess }) => !isGuess)) {
      const reason = explainScript(text.replaceAll(HOME_MARK, '$HOME'), { depth: depth + 1, budget })
      if (reason !== null) return reason
    }
    place = placeAfter(programs, place)
  }
  return null
}

function dangerOf({ outputs }: ShellCommand, programs: readonly FoundProgram[], place: CallPlace): Danger | null {
  const dangers = [
    ...outputs.map(({ text }) => findDangerousOutput(text)),
    ...programs.map(({ words }) => findDanger(programOf(words), place)),
  ]
  return dangers.find((danger) => danger !== null) ?? null
}

/** Also one in a folder that only bash will know. */
function programOf([first, ...args]: readonly ShellWord[]): ProgramCall {
  const path = first?.text ?? ''
  return { name: path.slice(path.lastIndexOf('/') + 1), args: args.map(({ text }) => text) }
}

function refuse({ words, outputs }: ShellCommand, { effect, instead }: Danger): string {
  const parts = [...words.map(({ text }) => text), ...outputs.map(({ text }) => `> ${text}`)]
  const line = parts.join(' ').replaceAll(HOME_MARK, '~')
  const shown = line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : line
  return `The command was not run: "${shown}" would ${effect}. ${instead}`
}

function placeAfter(programs: readonly FoundProgram[], place: CallPlace): CallPlace {
  const { name, args } = programOf(programs.at(-1)?.words ?? [])
  const target = name === 'cd' ? args.find((word) => !word.startsWith('-')) : undefined
  return target === undefined ? place : { isAtRoot: isRootLike(target, place.isAtRoot) }
}
