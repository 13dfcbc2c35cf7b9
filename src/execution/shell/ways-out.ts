/**
 * Programs with a way out to a command among their options or words: `git -c alias.x='!rm y' x`, `tar --to-command=rm`.
 */
import { unreadable, type Call, type CallRule, type Runs } from './call.ts'
import { replaceIn } from './wrappers.ts'
import type { ShellWord } from './shell-word.ts'

/** Of the words, or of what it is fed, one fits: what the program runs is not read. */
const WAYS_OUT = new Map<string, RegExp>([
  ...each(['bun', 'deno'], /^(?:eval|repl|-|-\w*[ep]|--eval|--print|(?:https?|data):.*)$/),
  ...each(
    ['R', 'Rscript', 'julia', 'lua', 'luajit', 'guile', 'racket', 'osascript', 'groovy', 'scala'],
    /^-\w*[eEc]|^--e|^-$/,
  ),
  ...each(['erl', 'elixir', 'iex', 'escript', 'ghc'], /^--?e|^-$/),
  ...each(['expect', 'tclsh', 'wish'], /^-c|^-$/),
  ...each(['ex', 'vi', 'view', 'vim', 'vimdiff', 'nvim'], /^(?:-[csSEW]|-[a-z]*[es]|--cmd|\+|-$)/),
  ...each(['emacs', 'emacsclient'], /^--?(?:e|f|l|batch|script|x)/),
  ...each(['less', 'more', 'most'], /^\+/),
  ...each(['socat', 'socat1'], /(?:^|,)(?:exec|system|shell)/i),
  ...each(['nc', 'ncat', 'netcat'], /^-\w*[ec]|^--(?:sh-)?exec|^--lua-exec/),
  ...each(['scp', 'sftp'], /^-\w*S|(?:proxy|local|knownhosts)\w*command/i),
  ...each(['mysql', 'mariadb'], /\\!|\bsystem\b|^--(?:init-command|pager)/),
  ...each(
    ['make', 'gmake'],
    /^(?:--eval|-f(?:-|\/+(?:dev|proc))|--(?:make)?file=(?:-|\/+(?:dev|proc))|SHELL\b|\.SHELLFLAGS|-$|\/+(?:dev|proc)\/)/,
  ),
  ...each(['gdb', 'lldb'], /^-(?:-?(?:ex|eval|x|command|batch|ix|iex|init|o|O|s|S)|$)/),
  ...each(['lftp', 'ftp'], /!|^-\w*[ce]/),
  ...each(['gnuplot', 'octave'], /^--?e/),
  ['dc', /!/],
  ['ed', /^/],
  ['m4', /syscmd/],
  ['mutt', /^-[eF]/],
  ['php', /^(?:-\w*[rBRE]|--(?:run|process)|-$)|auto_(?:pre|ap)pend/],
  ['psql', /\\(?:!|o|w|g|copy|i)/],
  ['sqlite3', /(?:^|\s)\.(?:sh|sy|once|output|excel|import|load|read)|^-(?:cmd|init)$/],
  ['wget', /askpass/i],
])

function each<T>(names: readonly string[], rule: T): readonly (readonly [string, T])[] {
  return names.map((name) => [name, rule] as const)
}

/** Without a file they read their input, which is then a program. */
const NEED_FILE = new Set(
  'bun deno ed ex expect gnuplot guile irb iex jshell julia lua m4 octave osascript php R tclsh wish'.split(' '),
)
/** Whatever their words are: a pipe into them may hold a way out. */
const READ_COMMANDS = new Set(['ed', 'ex', 'ftp', 'gdb', 'lftp', 'lldb', 'mariadb', 'mysql', 'psql', 'sqlite3', 'dc'])

interface ScriptOptions {
  /** One-letter options whose value is a command line. */
  readonly letters?: string
  readonly long?: readonly string[]
}

const SCRIPT_OPTIONS = new Map<string, ScriptOptions>([
  ...each(['tar', 'bsdtar', 'gtar'], {
    letters: 'IF',
    long: [
      'checkpoint-action',
      'info-script',
      'new-volume-script',
      'rmt-command',
      'rsh-command',
      'to-command',
      'use-compress-program',
    ],
  }),
  ['install', { long: ['strip-program'] }],
  ['man', { letters: 'P', long: ['pager'] }],
  ['rg', { long: ['pre'] }],
  ['rsync', { letters: 'e', long: ['rsh', 'rsync-path'] }],
  ['sort', { long: ['compress-program'] }],
  ['split', { long: ['filter'] }],
  ['zip', { long: ['unzip-command'] }],
])

/** Null: the program has no way out that is known here. `name` is without its folder. */
export function wayOutRule(name: string): CallRule | null {
  if (name === 'git') return git
  if (name === 'find') return find
  if (name === 'fd' || name === 'fdfind') return findFast
  const options = SCRIPT_OPTIONS.get(name)
  if (options !== undefined) return ({ args }) => ({ scripts: scriptsOf(args, options) })
  return WAYS_OUT.has(name) || NEED_FILE.has(name) ? takesWayOut : null
}

function takesWayOut(call: Call): Runs {
  const { name, args, command } = call
  const isFed = NEED_FILE.has(name) && args.every(({ text }) => text.startsWith('-')) && !asksForHelp(call)
  const { inputs, otherInputs, isPiped } = command
  const isLed = READ_COMMANDS.has(name) && (isPiped || otherInputs.length > 0 || inputs.some(({ isKnown }) => !isKnown))
  const pattern = WAYS_OUT.get(name)
  const goesOut = [...args, ...inputs].some(({ text }) => pattern?.test(text) === true)
  return isFed || isLed || goesOut ? unreadable(call) : {}
}

function scriptsOf(args: readonly ShellWord[], { letters = '', long = [] }: ScriptOptions): readonly ShellWord[] {
  return args.flatMap((word, index) => {
    const next = args[index + 1]
    const [, name, attached] = /^--([\w-]+)(?:=([\s\S]*))?$/.exec(word.text) ?? []
    if (name !== undefined) {
      if (!long.some((one) => one.startsWith(name))) return []
      return scriptIn(attached === undefined ? next : { ...word, text: attached })
    }
    // An old way of tar: letters without a dash.
    const isGroup = index === 0 ? /^-?[A-Za-z]/.test(word.text) : /^-[A-Za-z]/.test(word.text)
    const at = isGroup ? word.text.split('').findIndex((letter) => letters.includes(letter)) : -1
    if (at === -1) return []
    return [...scriptIn(next), ...scriptIn({ ...word, text: word.text.slice(at + 1) })]
  })
}

/** `--checkpoint-action=exec=x` */
function scriptIn(value: ShellWord | undefined): readonly ShellWord[] {
  return value === undefined || value.text === '' ? [] : [{ ...value, text: value.text.replace(/^exec=/, '') }]
}

function asksForHelp({ args }: Call): boolean {
  return args.some(({ text }) => /^(?:--?v(?:ersion)?|--help|-h)$/.test(text))
}

/** `find . -exec rm {} +` runs an `rm`. */
function find(call: Call): Runs {
  return runsBehind(call, /^-(?:exec|execdir|ok|okdir)()$/)
}

/** Letters without a value may stand before its `x`, and the program in the same word: `fd -Hx rm`, `fd --exec=rm`. */
function findFast(call: Call): Runs {
  return runsBehind(call, /^(?:--exec(?:-batch)?(?:=|$)|-[01aFgHIiLlpqrsUu]*[xX])(.*)$/s)
}

const MAX_ACTIONS = 20

/** `option`: what stands in its own word behind it, is its group. */
function runsBehind(call: Call, option: RegExp): Runs {
  const { args } = call
  const starts = args.flatMap((word, index) => {
    const attached = option.exec(word.text)?.[1]
    return attached === undefined
      ? []
      : [{ at: index + 1, first: attached === '' ? [] : [{ ...word, text: attached }] }]
  })
  if (starts.length > MAX_ACTIONS) return unreadable(call)
  const commands = starts.map(({ at, first }) => {
    const end = args.findIndex(({ text }, index) => index >= at && (text === ';' || text === '+'))
    return replaceIn([...first, ...args.slice(at, end === -1 ? args.length : end)], '{')
  })
  return { commands, addsWords: true }
}

/** Settings whose value git runs. In linear time, however many dots there are: a command may be 100 kB of them. */
const RUN_SETTING =
  /^(?:alias\.|include)|\.(?:cmd|fsmonitor|hookspath|askpass|gitproxy|helper|textconv|driver|clean|smudge|process|program|external|uploadpack|receivepack|path)(?:=|$)|^[^.\n]*\..*(?:pager|editor|command)(?:=|$)/i
const RUNS_WORDS =
  /^(?:foreach|filter-branch|filter-repo|instaweb|--exec(?:=|$)|--upload-pack|--receive-pack|--extcmd|--open-files-in-pager|--exec-path=|--config-env|ext::)/
/** Options that run their value only here. */
const RUNS_VALUE = /^(?:rebase|difftool|clone|fetch|grep|archive|send-email|ls-remote)$/
const VALUE = /^-\w*[xuO]/

function git(call: Call): Runs {
  const texts = call.args.map(({ text }) => text)
  const subcommand = texts.findIndex((text, index) => !text.startsWith('-') && !/^-[cC]$/.test(texts[index - 1] ?? ''))
  const name = texts[subcommand] ?? ''
  const isRun = call.args.some(({ text, isKnown }, index) => {
    const isSetting = /^(?:-c|--config)$/.test(texts[index - 1] ?? '')
    if (isSetting && !isKnown && !/^[\w.-]+=/.test(text)) return true
    if ((isSetting || name === 'config') && RUN_SETTING.test(text)) return true
    return RUNS_WORDS.test(text) || (RUNS_VALUE.test(name) && index > subcommand && VALUE.test(text))
  })
  return isRun || (name === 'bisect' && texts.includes('run')) ? unreadable(call) : {}
}
