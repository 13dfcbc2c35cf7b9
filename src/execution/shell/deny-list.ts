/**
 * What no task may run, for any role: commands that destroy a whole machine or home, mostly by mistake. Checked before
 * every command. It is a guard rail, not a wall: who wants around it finds a way, which is what the sandbox is for.
 *
 * What must hold: a refusal names the command, what it would do and what is allowed instead, since a planner reads it;
 * and the same programs pass on everything that is not a root (`rm -rf build`).
 */
import { findDanger, findDangerousOutput, type Danger, type CallPlace, type ProgramCall } from './deny-rules.ts'
import { findPrograms } from './find-programs.ts'
import { readShell, type ShellCommand } from './read-shell.ts'
import { isRootLike } from './root-like.ts'
import { HOME_MARK, type ShellWord } from './shell-word.ts'

/** The system takes no longer argument than 128 KiB. */
const MAX_COMMAND_BYTES = 100_000
/** `bash -c "bash -c …"` */
const MAX_SCRIPT_DEPTH = 5
const MAX_SHOWN_LENGTH = 120

/** Why this command line is not run, for the user and the planner; null: nothing against it. */
export function explainRefusal(command: string): string | null {
  if (command.includes('\0') || !command.isWellFormed()) {
    return 'The command was not run: it contains NUL or broken characters. Write bytes with printf and escapes.'
  }
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    return `The command was not run: it is longer than ${MAX_COMMAND_BYTES} bytes. Write long text to a file in several commands.`
  }
  return explainScript(command, 0)
}

function explainScript(script: string, depth: number): string | null {
  const { commands, forkBombs, isTooDeep } = readShell(script)
  if (isTooDeep || depth > MAX_SCRIPT_DEPTH) {
    return 'The command was not run: commands stand in each other too deeply to be checked. Split it into several commands.'
  }
  const [bomb] = forkBombs
  if (bomb !== undefined) {
    return `The command was not run: the function "${bomb}" would start itself without end. Call it a fixed number of times.`
  }
  let place: CallPlace = { isAtRoot: false }
  for (const command of commands) {
    const reason = explainCommand(command, place, depth)
    if (reason !== null) return reason
    place = placeAfter(command, place)
  }
  return null
}

function explainCommand(command: ShellCommand, place: CallPlace, depth: number): string | null {
  const output = command.outputs.map(({ text }) => findDangerousOutput(text)).find((danger) => danger !== null)
  if (output !== undefined) return refuse(command, output)
  const programs = findPrograms(command).filter(({ isGuess }) => !isGuess)
  const danger = programs.map(({ words }) => findDanger(programOf(words), place)).find((found) => found !== null)
  if (danger !== undefined) return refuse(command, danger)
  for (const script of programs.flatMap(({ scripts }) => scripts)) {
    const reason = script.isGuess ? null : explainScript(script.text.replaceAll(HOME_MARK, '$HOME'), depth + 1)
    if (reason !== null) return reason
  }
  return null
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

function placeAfter(command: ShellCommand, place: CallPlace): CallPlace {
  const last = findPrograms(command).findLast(({ isGuess }) => !isGuess)
  const { name, args } = programOf(last?.words ?? [])
  const target = name === 'cd' ? args.find((word) => !word.startsWith('-')) : undefined
  return target === undefined ? place : { isAtRoot: isRootLike(target, place.isAtRoot) }
}
