/**
 * The commands in a command line as the approval policy judges them: every one, also inside substitutions, behind `;`
 * and `&&`, in the script of a `bash -c` and behind wrappers (`sudo rm` is a `sudo` and an `rm`). Called by
 * src/approvals.
 *
 * What must hold: what only the running shell knows stands as an unknown word (null), never as an ordinary
 * one; and a text that is run but cannot be read (`python3 -c …`, a pipe into `sh`) stands as a command of which
 * nothing is known. What a program or a script in a file does is not read: it is judged by its name.
 */
import type { CommandReading } from '../../core/approval-policy.ts'
import { findPrograms, type FoundProgram, type FoundScript } from './find-programs.ts'
import { readShell, type ShellCommand, type ShellAssignment } from './read-shell.ts'
import { HOME_MARK, type ShellWord } from './shell-word.ts'
import { isOrdinaryFile } from './call.ts'

const MAX_SCRIPT_DEPTH = 5
/** Of all depths together. */
const MAX_SCRIPTS = 100
/** Longer than the command of any plan. */
const MAX_CHARS = 64 * 1024

/** At least one. */
export function readCommands(line: string): readonly CommandReading[] {
  if (line.length > MAX_CHARS) return [unknown('the line is too long to be read')]
  const readings = new LineReader().read(line)
  return readings.length === 0 ? [{ words: [], isPlain: true }] : readings
}

/** A command of the line, or of a script in it. */
interface ReadCommand {
  readonly command: ShellCommand
  readonly programs: readonly FoundProgram[]
}

class LineReader {
  readonly #commands: ReadCommand[] = []
  #scriptCount = 0

  read(line: string): CommandReading[] {
    const readings = this.#readScript({ text: line, isKnown: true, isPosix: false, isGuess: false }, 0)
    const isWritten = writtenBy(this.#commands)
    const file = this.#commands.flatMap(({ programs }) => programs.flatMap(pathsOf)).find(isWritten)
    return file === undefined ? readings : [...readings, unknown(`the line itself writes "${file}", which it runs`)]
  }

  #readScript(script: FoundScript, depth: number): CommandReading[] {
    this.#scriptCount += 1
    if (depth > MAX_SCRIPT_DEPTH || this.#scriptCount > MAX_SCRIPTS)
      return [unknown('its commands stand in each other too deeply to be read')]
    const { commands, problem } = readShell(script.text.replaceAll(HOME_MARK, '$HOME'))
    const readings = commands.flatMap((command) => this.#readCommand(command, depth))
    const why = problemOf(script, problem)
    const all = why === null ? readings : [...readings, unknown(why)]
    return script.isGuess ? all.map((reading) => ({ ...reading, isGuess: true })) : all
  }

  #readCommand(command: ShellCommand, depth: number): CommandReading[] {
    const programs = findPrograms(command)
    this.#commands.push({ command, programs })
    const { words, outputs, assignments } = command
    const [first, ...others] = programs
    const isAlone = others.every(({ isGuess }) => isGuess) && first?.scripts.every(({ isGuess }) => isGuess) !== false
    const isPlain = isAlone && assignments.length === 0 && outputs.every(isHarmlessOutput) && first?.unreadable == null
    const { scripts, problems } = readVariables(command, programs)
    return [
      // Assignments and redirections are something too, without a program.
      ...(words.length === 0 ? [{ words: [], isPlain }] : []),
      ...programs.map((program) => readProgram(program, isPlain && program === first)),
      ...[...programs.flatMap((program) => unreadableOf(program, command)), ...problems].map(unknown),
      ...[...scripts, ...programs.flatMap((program) => program.scripts)].flatMap((script) =>
        this.#readScript(script, depth + 1),
      ),
    ]
  }
}

/** `: &>x rm y` and `((rm x))` are commands for a shell that knows neither. */
const OTHER_THAN_BASH = /&>|\|&|\(\(|\[\[|[<>]\(|<<<|\$['"]|\bfunction\b|\bcoproc\b|\bselect\b/

/** `syntax`: what is wrong with it, if anything. */
function problemOf({ text, isKnown, isPosix, isGuess }: FoundScript, syntax: string | null): string | null {
  if (!isKnown) return 'it runs a text of which only the shell will know parts'
  // What is no script has no syntax.
  if (isGuess || syntax !== null) return isGuess ? null : syntax
  return isPosix && OTHER_THAN_BASH.test(text) ? 'another shell than bash may read it otherwise' : null
}

/** What a program is started from: its own file, and the scripts that it is given. */
function pathsOf({ words, isGuess, files }: FoundProgram): readonly string[] {
  return isGuess ? [] : [...words.slice(0, 1), ...files].map(({ text }) => text)
}

/** Of a guess only if it is given something to run: `docker pull python` runs none. */
function unreadableOf(program: FoundProgram, { inputs, otherInputs, isPiped }: ShellCommand): readonly string[] {
  const { unreadable, isGuess, words } = program
  const isGiven = words.length > 1 || inputs.length > 0 || otherInputs.length > 0 || isPiped
  return unreadable === null || (isGuess && !isGiven) ? [] : [unreadable]
}

function readProgram({ words, name, hasMore, isGuess }: FoundProgram, isPlain: boolean): CommandReading {
  if (name === null) return { words: [null], isPlain: false, ...(isGuess ? { isGuess } : {}) }
  const known = words.map(({ text, isKnown }) => (isKnown ? text.replaceAll(HOME_MARK, '~') : null))
  const read = hasMore ? [...known, null] : known
  return { words: read, isPlain: isPlain && !read.includes(null), ...(isGuess ? { isGuess } : {}) }
}

function unknown(why: string): CommandReading {
  return { words: [null], isPlain: false, unreadable: why }
}

/** Nothing that stays: `/dev/null`, `2>&1`. */
function isHarmlessOutput({ text, isKnown }: ShellWord): boolean {
  return isKnown && /^(?:\d|-|\/dev\/null|\/dev\/stdout|\/dev\/stderr)$/.test(text)
}

/** Any of their words may name a file that they make, whatever it held before. */
const WRITERS = new Set('cp curl dd install ln mv patch rsync scp sponge split tee truncate wget'.split(' '))

function isWriter(name: string | null, words: readonly ShellWord[]): boolean {
  if (name === 'sed') return words.some(({ text }) => /^(?:-\w*i|--in-p)/.test(text))
  return name !== null && WRITERS.has(name)
}

/** Behind it stands a program: `rsync -e ssh`. */
const NAMES_PROGRAM = /^(?:-\w*e|--rsh)$/

/**
 * Which files the commands themselves make, so that running one runs a text that was not judged: `echo x > y; bash y`.
 * Says of a program's or script's path, or of a program's name, whether it may be one of them.
 */
function writtenBy(
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

/** Their value is a command line, or the name of a program. */
const COMMANDS =
  /^(?:.*(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|_COMMAND|_RSH|GIT_SSH|PROXY_COMMAND|EXTERNAL_DIFF)|PROMPT_COMMAND|LESSOPEN|LESSCLOSE|SHELL|FCEDIT|command_oriented_history)$/
/** They change what programs do in ways that are not parsed here. */
const UNREADABLE =
  /^(?:BASH_FUNC.*|BASH_ALIASES|BASH_CMDS|LD_PRELOAD|LD_AUDIT|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|JAVA_TOOL_OPTIONS|GIT_CONFIG_(?:KEY|VALUE|PARAMETERS).*|MAKEFLAGS|GNUMAKEFLAGS|TAR_OPTIONS|GIT_PROXY_COMMAND)$/
/** Files that a shell reads when it starts. */
const FILES = /^(?:BASH_ENV|ENV)$/
const SET_VARIABLES = new Set(['env', 'sudo', 'doas', 'export', 'declare', 'typeset', 'readonly', 'local'])

interface VariableEffects {
  readonly scripts: readonly FoundScript[]
  /** Half sentences. */
  readonly problems: readonly string[]
}

/**
 * Variables whose value a shell or another program runs: `PAGER='rm x' git log`, `export PROMPT_COMMAND=…`.
 * Of the command's own assignments and of those that `env`, `export` and the like make. Variables that were set
 * elsewhere are not known here.
 */
function readVariables({ assignments }: ShellCommand, programs: readonly FoundProgram[]): VariableEffects {
  const given = programs.flatMap(({ name, words }) =>
    SET_VARIABLES.has(name ?? '') ? words.slice(1).flatMap(splitWord) : [],
  )
  const all = [...assignments, ...given].flatMap(({ name, values }) => values.map((value) => ({ name, value })))
  return {
    scripts: all.flatMap(({ name, value }) => (COMMANDS.test(name) ? [scriptOf(value)] : [])),
    problems: all.flatMap(({ name, value }) =>
      isUnreadable(name, value) ? [`what the variable ${name} makes run cannot be read`] : [],
    ),
  }
}

function splitWord(word: ShellWord): ShellAssignment[] {
  const [, name, value] = /^([A-Za-z_]\w*(?:%%)?)\+?=([\s\S]*)$/.exec(word.text) ?? []
  return name === undefined ? [] : [{ name, values: [{ ...word, text: value ?? '' }] }]
}

function isUnreadable(name: string, value: ShellWord): boolean {
  if (name === 'NODE_OPTIONS')
    return !value.isKnown || /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)\b/.test(value.text)
  return UNREADABLE.test(name) || (FILES.test(name) && value.text !== '' && !isOrdinaryFile(value))
}

/** `LESSOPEN='| x %s'`, `alias.x='!x'` */
function scriptOf({ text, isKnown }: ShellWord): FoundScript {
  return { text: text.replace(/^\s*[|!-]+/, ''), isKnown, isPosix: true, isGuess: false }
}
