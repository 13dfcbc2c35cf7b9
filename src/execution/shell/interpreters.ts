/**
 * Programs that run a text of another language, or have a way out to a command among their options. What is not on the
 * command line, a file that they are given, is theirs: it counts as a program. What is on it and cannot be read is said
 * to be so.
 */
import { isOrdinaryFile, unreadable, type Call, type CallRule, type Runs } from './call.ts'
import { hasOption, readOptions, type OptionRules } from './options.ts'
import type { ShellWord } from './shell-word.ts'

interface Interpreter extends OptionRules {
  /** Options whose value is a program text. */
  readonly code: readonly string[]
  /** Options with which it does not read its input for want of a file. */
  readonly needsNoFile?: readonly string[]
  /** Whether the value of another option may run something. */
  readonly runsValue?: (name: string, value: string) => boolean
}

const PYTHON: Interpreter = {
  short: 'bBdEhiIOPqsSuvVxX:W:c:m:?',
  long: 'check-hash-based-pycs: help help-env help-xoptions help-all version',
  code: ['c'],
  needsNoFile: ['h', '?', 'V', 'm', 'help', 'help-env', 'help-xoptions', 'help-all', 'version'],
  runsValue: (name, value) =>
    name === 'm' && /^(?:timeit|pdb|code|idlelib|cProfile|profile|trace|runpy|IPython|asyncio)\b/.test(value),
}

const PERL: Interpreter = {
  short: 'ace:E:fF:hi::I:l::m:M:np0::sStTuUvV::wWx::XC::d::D::',
  long: 'help version',
  code: ['e', 'E'],
  needsNoFile: ['h', 'v', 'V', 'help', 'version'],
  runsValue: (name, value) => /^[mM]$/.test(name) && !/^-?[\w:]+(?:=[\w:,]+)?$/.test(value),
}

const RUBY: Interpreter = {
  short: 'ae:C:dE:F:hi::I:K:lnpr:sSvT::UwW::x::X:y0::',
  long: 'backtrace-limit: copyright disable: dump: enable: encoding: external-encoding: help internal-encoding: jit parser: verbose version yjit yydebug',
  code: ['e'],
  needsNoFile: ['h', 'v', 'help', 'version', 'copyright'],
}

const NODE: Interpreter = {
  short: 'ce:ihC:pr:v',
  long: [
    'abort-on-uncaught-exception allow-addons allow-child-process allow-fs-read: allow-fs-write: allow-worker build-snapshot check',
    'completion-bash conditions: cpu-prof cpu-prof-dir: diagnostic-dir: disable-warning: dns-result-order: enable-source-maps',
    'env-file: env-file-if-exists: eval: experimental-strip-types experimental-transform-types expose-gc heap-prof help',
    'icu-data-dir: import: input-type: inspect:: inspect-brk:: inspect-port: interactive loader: experimental-loader:',
    'max-http-header-size: max-old-space-size: max-semi-space-size: no-deprecation no-warnings no-experimental-strip-types',
    'openssl-config: permission preserve-symlinks print prof redirect-warnings: require: run: stack-size: stack-trace-limit:',
    'test test-concurrency: test-coverage-include: test-force-exit test-name-pattern: test-only test-reporter:',
    'test-reporter-destination: test-shard: test-skip-pattern: test-timeout: throw-deprecation title: trace-deprecation',
    'trace-uncaught trace-warnings unhandled-rejections: use-system-ca v8-options version watch watch-path: watch-preserve-output',
  ].join(' '),
  code: ['e', 'eval', 'p', 'print', 'i', 'interactive'],
  needsNoFile: ['h', 'v', 'help', 'version', 'v8-options', 'test', 'run', 'completion-bash'],
  runsValue: (name, value) =>
    ['r', 'require', 'import', 'loader', 'experimental-loader'].includes(name) && /^data:/i.test(value),
}

const INTERPRETERS: readonly (readonly [name: RegExp, interpreter: Interpreter])[] = [
  [/^(?:python|pypy)[\d.]*$/, PYTHON],
  [/^perl[\d.]*$/, PERL],
  [/^ruby[\d.]*$/, RUBY],
  [/^node(?:js)?$/, NODE],
]

/**
 * Null: the program is no interpreter that is known here. `name` is without its folder; versions such as `python3.12`
 * are known.
 */
export function interpreterRule(name: string): CallRule | null {
  const interpreter = INTERPRETERS.find(([names]) => names.test(name))?.[1]
  if (interpreter !== undefined) return (call) => interpret(call, interpreter)
  if (/^(?:[gmn]|original-)?awk$/.test(name)) return awk
  if (/^g?sed$/.test(name)) return sed
  return null
}

function interpret(call: Call, { code, needsNoFile = [], runsValue, ...rules }: Interpreter): Runs {
  const read = readOptions(call.args, rules)
  if (read.isUnclear || hasOption(read, ...code)) return unreadable(call)
  const runsIt = read.options.some(
    ({ name, value }) => value !== null && (runsValue?.(name, value.text) === true || (!value.isKnown && name === 'm')),
  )
  if (runsIt) return unreadable(call)
  if (hasOption(read, ...needsNoFile)) return {}
  const [file] = read.rest
  if (file === undefined) return unreadable(call, call.hasMore ? undefined : 'reads')
  return isOrdinaryFile(file) ? { files: [file] } : unreadable(call)
}

const AWK: OptionRules = {
  short: 'F:v:f:e:i:l:E:bcCdD::ghIkL::MnNo::OpPrsStVW:',
  long: 'field-separator: assign: file: source: include: load: exec: bignum characters-as-bytes csv debug:: dump-variables:: gen-pot help lint:: non-decimal-data optimize no-optimize posix pretty-print:: profile:: re-interval sandbox traditional use-lc-numeric version',
}

function awk(call: Call): Runs {
  const read = readOptions(call.args, AWK)
  if (read.isUnclear || hasOption(read, 'i', 'l', 'include', 'load', 'debug', 'D', 'W')) return unreadable(call)
  const texts = valuesOf(read.options, 'e', 'source')
  const files = valuesOf(read.options, 'f', 'file', 'E', 'exec')
  const [first] = read.rest
  if (texts.length === 0 && files.length === 0 && first !== undefined) texts.push(first)
  return judgeTexts(call, { texts, files }, mayStartProgram)
}

const SED: OptionRules = {
  short: 'nErsuze:f:i::l:',
  long: 'expression: file: in-place:: quiet silent regexp-extended null-data separate sandbox posix debug follow-symlinks line-length: unbuffered zero-terminated help version',
  isPermuting: true,
}

function sed(call: Call): Runs {
  const read = readOptions(call.args, SED)
  const texts = valuesOf(read.options, 'e', 'expression')
  const files = valuesOf(read.options, 'f', 'file')
  const [first] = read.rest
  if (texts.length === 0 && files.length === 0 && first !== undefined) texts.push(first)
  // Which files it works on may be unknown, its text not.
  const isUnclear = read.isUnclear && texts.length + files.length === 0
  if (isUnclear) return unreadable(call)
  return hasOption(read, 'sandbox') ? {} : judgeTexts(call, { texts, files }, hasExecution)
}

function valuesOf(
  options: readonly { name: string; value: ShellWord | null }[],
  ...names: readonly string[]
): ShellWord[] {
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== null ? [value] : []))
}

function judgeTexts(
  call: Call,
  { texts, files }: { readonly texts: readonly ShellWord[]; readonly files: readonly ShellWord[] },
  mayRun: (text: string) => boolean,
): Runs {
  const isReadable = texts.every(({ text, isKnown }) => isKnown && !mayRun(text)) && files.every(isOrdinaryFile)
  return isReadable && !(call.hasMore && texts.length + files.length === 0) ? { files } : unreadable(call)
}

const BLANKS = /[\s;{}]*/y
/** `1`, `$`, `/x/I`, `\,x,`, `0~3`, `1,/x/`, `2,+4`, then perhaps `!`. */
const ADDRESS =
  /(?:(?:\d+(?:~\d+)?|\$|[+~]\d+|\/(?:[^\\/\n]|\\[^\n])*\/[IM]*|\\([^\\\n])(?:(?!\1)[^\\\n]|\\[^\n])*\1[IM]*)[ \t]*,?[ \t]*)*!?[ \t]*/y
/** Up to the end of the line: texts, names of files and labels. */
const WITH_LINE = /[aic](?:\\\n)?(?:[^\\\n]|\\[\s\S])*|[rRwW][^\n]*|[:btT][^\n;}]*|v[^\n]*/y
const SIMPLE = /[dDFgGhHnNpPxz=]|[qQlL][ \t]*\d*/y
const SUBSTITUTION =
  /([sy])([^\\\n])(?:(?!\2)[^\\]|\\[\s\S])*\2(?:(?!\2)[^\\]|\\[\s\S])*\2(?:[gpiImM0-9]*(?:w[^\n]*)?)/y
const COMMENT = /#[^\n]*/y

/** Whether a sed script runs commands (its command `e`, the flag `e` of `s`); true also for what it cannot make out. */
function hasExecution(script: string): boolean {
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(script)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  for (;;) {
    skip(BLANKS)
    if (at >= script.length) return false
    if (skip(COMMENT)) continue
    skip(ADDRESS)
    skip(BLANKS)
    if (at >= script.length) return false
    if (!skip(SIMPLE) && !skip(WITH_LINE) && !skip(SUBSTITUTION)) return true
    // Behind a command stands the end of it: "pe" is no command.
    if (at < script.length && !/[\s;}#]/.test(script.charAt(at))) return true
  }
}

/** Behind these a slash begins a pattern; behind others it may divide. */
const BEFORE_PATTERN = new Set('(,{;!~&|=}\n?:*%<>[')
const PATTERN = /\/(?:[^\\/\n]|\\[^\n])*\//y
/**
 * A slash that may divide: no other follows on the line, or, were it a pattern up to there, nothing of a text would be
 * in it.
 */
const DIVIDES = /\/(?:[^\\/\n"#]*\/|[^/\n]*(?:\n|$))/y
const TEXT = /"(?:[^"\\\n]|\\[\s\S])*"/y

/**
 * Whether an awk program may start another one: by `system`, by a pipe, or by what it loads or calls by name.
 * True also for what it cannot make out.
 */
function mayStartProgram(program: string): boolean {
  const code = withoutTexts(program.replaceAll(/\\\r?\n/g, ' '))
  return code === null || /\bsystem\b|@|\|&/.test(code) || code.replaceAll('||', '').includes('|')
}

/** Texts and patterns become a 1. Null: where they are is not certain. */
function withoutTexts(program: string): string | null {
  let code = ''
  let last = '\n'
  let at = 0
  const matchAt = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.test(program) ? pattern.lastIndex : -1
  }
  while (at < program.length) {
    const char = program.charAt(at)
    const isTaken = char === '"' || (char === '/' && BEFORE_PATTERN.has(last))
    const end = isTaken ? matchAt(char === '"' ? TEXT : PATTERN) : char === '#' ? matchAt(COMMENT) : at + 1
    if (end === -1 || (char === '/' && !isTaken && matchAt(DIVIDES) === -1)) return null
    if (char !== '#') {
      code += isTaken ? '1' : char
      if (!/[ \t\r]/.test(char)) last = isTaken ? '1' : char
    }
    at = end
  }
  return code
}
