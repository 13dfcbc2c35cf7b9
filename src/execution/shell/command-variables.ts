/** Variables whose value a shell or another program runs: `PAGER='rm x' git log`, `export PROMPT_COMMAND=…`. */
import type { FoundProgram, FoundScript } from './find-programs.ts'
import type { ShellAssignment, ShellCommand } from './read-shell.ts'
import { isOrdinaryFile } from './call.ts'
import type { ShellWord } from './shell-word.ts'

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
 * Of the command's own assignments and of those that `env`, `export` and the like make. Variables that were set
 * elsewhere are not known here.
 */
export function readVariables({ assignments }: ShellCommand, programs: readonly FoundProgram[]): VariableEffects {
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
