/**
 * What no task may run, whoever it is for: commands that destroy a whole machine or home, mostly by mistake. Checked before
 * every command. It is a guard rail, not a wall: who wants around it finds a way, which is what the sandbox is for.
 *
 * What must hold: a refusal names the command, what it would do and what is allowed instead, since a planner reads it; and
 * the same programs pass on everything that is not a root (`rm -rf build`).
 */
import { findDanger, findDangerousOutput, type Danger, type Place } from './deny-rules.ts'
import { findProgram, findScripts } from './program.ts'
import { isRootLike } from './root-like.ts'
import { HOME_MARK, readShell, type ShellToken, type SimpleCommand } from './shell-syntax.ts'

/** The system takes no longer argument than 128 KiB. */
const MAX_COMMAND_BYTES = 100_000
/** `bash -c "bash -c …"` */
const MAX_SCRIPT_DEPTH = 5
const MAX_SHOWN_LENGTH = 120
/** Words of a function that are searched for a call of itself. */
const MAX_BODY_LENGTH = 100

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
  const { commands, tokens, isTooDeep } = readShell(script)
  if (isTooDeep || depth > MAX_SCRIPT_DEPTH) {
    return 'The command was not run: commands stand in each other too deeply to be checked. Split it into several commands.'
  }
  const bomb = findForkBomb(tokens)
  if (bomb !== null) return bomb
  let place: Place = { isAtRoot: false }
  for (const command of commands) {
    const reason = explainCommand(command, place, depth)
    if (reason !== null) return reason
    place = placeAfter(command, place)
  }
  return null
}

function explainCommand(command: SimpleCommand, place: Place, depth: number): string | null {
  const output = command.outputs.map(findDangerousOutput).find((danger) => danger !== null)
  if (output !== undefined) return refuse(command, output)
  const program = findProgram(command.words)
  if (program === null) return null
  const danger = findDanger(program, place)
  if (danger !== null) return refuse(command, danger)
  for (const script of findScripts(program, command)) {
    const reason = explainScript(script, depth + 1)
    if (reason !== null) return reason
  }
  return null
}

function refuse({ words, outputs }: SimpleCommand, { effect, instead }: Danger): string {
  const line = [...words, ...outputs.map((output) => `> ${output}`)].join(' ').replaceAll(HOME_MARK, '~')
  const shown = line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : line
  return `The command was not run: "${shown}" would ${effect}. ${instead}`
}

function placeAfter(command: SimpleCommand, place: Place): Place {
  const program = findProgram(command.words)
  const target = program?.name === 'cd' ? program.args.find((word) => !word.startsWith('-')) : undefined
  return target === undefined ? place : { isAtRoot: isRootLike(target, place.isAtRoot) }
}

/** A function that calls itself into the background or into a pipe to itself: `:(){ :|:& };:`. */
function findForkBomb(tokens: readonly ShellToken[]): string | null {
  const texts = tokens.map(({ kind, text }) => (kind === 'WORD' && /^[&|();\n]/.test(text) ? '' : text))
  for (const [index, text] of texts.entries()) {
    const name =
      text === 'function' ? texts[index + 1] : texts[index + 1] === '(' && texts[index + 2] === ')' ? text : undefined
    if (name === undefined || name === '') continue
    const body = texts.slice(index + 2, index + 2 + MAX_BODY_LENGTH)
    const multiplies = body.some(
      (word, at) => word === name && (body[at + 1] === '&' || (body[at + 1] === '|' && body[at + 2] === name)),
    )
    if (multiplies) {
      return `The command was not run: the function "${name}" would start itself without end. Call it a fixed number of times.`
    }
  }
  return null
}
