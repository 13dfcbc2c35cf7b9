/**
 * Shells, and what of a shell and around it runs a text as a shell does: `bash -c`, `eval`, `trap`, `su -c`, `script
 * -c`.
 */
import { isOrdinaryFile, joinWords, unreadable, type Call, type CallRule, type Runs } from './call.ts'
import { hasOption, readOptions, valueOf, type OptionRules, type ReadOptions } from './options.ts'
import { wordOf } from './shell-word.ts'

/** Their syntax is read as bash's (`posixOnly` in read-commands.ts says where it is not). */
const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'rbash'])
const OTHER_SHELLS = new Set([
  'csh',
  'elvish',
  'fish',
  'ksh',
  'ksh93',
  'mksh',
  'nu',
  'pwsh',
  'tcsh',
  'xonsh',
  'yash',
  'zsh',
])

const RULES = new Map<string, CallRule>([
  ['.', source],
  ['alias', (call) => (call.args.some(({ text, isKnown }) => text.includes('=') || !isKnown) ? unreadable(call) : {})],
  ['at', readsInput],
  ['batch', readsInput],
  ['compgen', completes],
  ['complete', completes],
  ['crontab', readsInput],
  ['enable', (call) => (call.args.some(({ text }) => /^-\w*f/.test(text)) ? unreadable(call) : {})],
  ['eval', evaluates],
  ['fc', (call) => unreadable(call)],
  ['flock', flock],
  ['hash', hash],
  ['mapfile', readsLines],
  ['newgrp', (call) => unreadable(call, 'starts, a shell that reads its input,')],
  ['parallel', parallel],
  ['readarray', readsLines],
  ['runuser', switchUser],
  ['script', script],
  ['sem', parallel],
  ['sg', switchGroup],
  ['source', source],
  ['ssh', remote],
  ['su', switchUser],
  ['trap', trap],
  ['watch', watch],
])

/** Null: the program is none that runs a text as a shell does. `name` is without its folder. */
export function shellRule(name: string): CallRule | null {
  if (SHELLS.has(name)) return shell
  return OTHER_SHELLS.has(name) ? otherShell : (RULES.get(name) ?? null)
}

/** Of bash; the letters of a group may each want a word: `bash -ceo pipefail x`. */
const LONG_WITH_VALUE = new Set(['rcfile', 'init-file'])
const LONG: ReadonlySet<string> = new Set(
  `
  debug debugger dump-po-strings dump-strings login noediting noprofile norc posix pretty-print
  protected restricted verbose wordexp
`
    .trim()
    .split(/\s+/),
)

function shell(call: Call): Runs {
  const { args } = call
  let isScript = false
  let readsStandardInput = false
  let at = 0
  for (; at < args.length; at += 1) {
    const { text, isKnown } = args[at] ?? wordOf('')
    if (!isKnown) return unreadable(call)
    if (text === '-' || text === '--') {
      at += 1
      break
    }
    if (!/^[-+]./.test(text)) break
    const long = text.replace(/^--?/, '')
    if (LONG_WITH_VALUE.has(long)) return unreadable(call)
    if (long === 'version' || long === 'help') return {}
    if (LONG.has(long)) continue
    if (!/^[-+][A-Za-z]+$/.test(text)) return unreadable(call)
    isScript ||= text.startsWith('-') && text.includes('c')
    readsStandardInput ||= text.startsWith('-') && text.includes('s')
    at += text.replaceAll(/[^oO]/g, '').length
  }
  const [operand] = args.slice(at)
  if (isScript) return operand === undefined ? withMore(call) : { scripts: [operand] }
  if (operand === undefined || readsStandardInput) return call.hasMore ? withMore(call) : shellInput(call)
  return isOrdinaryFile(operand) ? { files: [operand] } : unreadable(call)
}

function withMore(call: Call): Runs {
  return call.hasMore ? unreadable(call) : {}
}

/** One here-document, or one here-string, is all that it reads. */
function shellInput(call: Call): Runs {
  const { inputs, otherInputs } = call.command
  return inputs.length === 1 && otherInputs.length === 0 ? { scripts: inputs } : unreadable(call, 'reads')
}

/** A shell whose syntax is not parsed here. */
function otherShell(call: Call): Runs {
  const [first] = call.args
  return first !== undefined && isOrdinaryFile(first) && !first.text.startsWith('-')
    ? { files: [first] }
    : unreadable(call)
}

function source(call: Call): Runs {
  const args = call.args[0]?.text === '--' ? call.args.slice(1) : call.args
  const [file] = args
  if (file === undefined) return withMore(call)
  return isOrdinaryFile(file) && !file.text.startsWith('-') ? { files: [file] } : unreadable(call)
}

function evaluates(call: Call): Runs {
  const words = call.args[0]?.text === '--' ? call.args.slice(1) : call.args
  return call.hasMore ? unreadable(call) : { scripts: words.length === 0 ? [] : [joinWords(words)] }
}

function trap(call: Call): Runs {
  const action = call.args.find(({ text }) => text !== '--')
  return action === undefined || /^-[lp]?$/.test(action.text) ? {} : { scripts: [action] }
}

/** `mapfile -C` runs its value with each line, `complete -C` and `compgen -C` theirs. */
function readsLines(call: Call): Runs {
  const read = readOptions(call.args, { short: 'd:n:O:s:tu:C:c:' })
  return read.isUnclear ? unreadable(call) : scriptOf(call, read, 'C')
}

function completes(call: Call): Runs {
  const read = readOptions(call.args, { short: 'abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:V:' })
  // Words for completion (-W) are expanded.
  return read.isUnclear || hasOption(read, 'F', 'W') ? unreadable(call) : scriptOf(call, read, 'C')
}

function scriptOf(call: Call, read: ReadOptions, ...names: readonly string[]): Runs {
  if (!hasOption(read, ...names)) return {}
  const script = valueOf(read, ...names)
  return script === null ? withMore(call) : { scripts: [script] }
}

/** `hash -p /bin/rm x` makes an `rm` of each `x` after it. */
function hash(call: Call): Runs {
  const read = readOptions(call.args, { short: 'lrp:dt' })
  if (read.isUnclear) return unreadable(call)
  const path = valueOf(read, 'p')
  return path === null ? {} : { commands: [[path]], addsWords: true }
}

/** What they run is on their standard input, or in a file. */
function readsInput(call: Call): Runs {
  return call.args.some(({ text }) => /^-\w*[lr]$/.test(text)) ? {} : unreadable(call, 'reads')
}

const SU: OptionRules = {
  short: 'c:flmpPg:G:s:w:Tu:hV',
  long: 'command: session-command: fast login preserve-environment pty no-pty group: supp-group: shell: whitelist-environment: user: help version',
  isPermuting: true,
  hasDash: true,
}

/** `su me -c "rm x"`; `runuser -u me rm x` is a wrapper. Without a command, the shell reads its input. */
function switchUser(call: Call): Runs {
  const read = readOptions(call.args, SU)
  if (call.name === 'runuser' && call.args.some(({ text }) => /^(?:-u|--user)/.test(text))) {
    const wrapped = readOptions(call.args, { ...SU, isPermuting: false })
    return wrapped.isUnclear ? unreadable(call) : { commands: [wrapped.rest] }
  }
  if (read.isUnclear || read.rest.length > 1) return unreadable(call)
  if (!hasOption(read, 'c', 'command', 'session-command'))
    return unreadable(call, 'starts, a shell that reads its input,')
  const ownShell = valueOf(read, 's', 'shell')
  const runs = scriptOf(call, read, 'c', 'command', 'session-command')
  return ownShell === null ? runs : { ...runs, commands: [[ownShell]], addsWords: true }
}

/** `sg staff "rm x"`, `sg staff -c "rm x"`. */
function switchGroup(call: Call): Runs {
  const words = call.args.filter(({ text }) => text !== '-' && text !== '-c').slice(1)
  return words.length === 0 ? unreadable(call, 'starts, a shell that reads its input,') : { scripts: words }
}

/** `flock file rm x`, `flock file -c "rm x"`, `flock 9`. */
function flock(call: Call): Runs {
  const rules = {
    short: 'sxeunoFvw:E:c:hV',
    long: 'shared exclusive unlock nonblock nb timeout: wait: conflict-exit-code: close command: no-fork fcntl verbose start: length: help version',
  }
  const before = readOptions(call.args, rules)
  if (before.isUnclear || before.rest[0]?.isOne === false) return unreadable(call)
  const behind = before.rest.slice(1)
  const [first, second] = behind
  const isScript = first !== undefined && /^(?:-c|--command)$/.test(first.text)
  if (!isScript) return first?.text.startsWith('-') === true ? unreadable(call) : { commands: [behind] }
  return second === undefined ? withMore(call) : { scripts: [second] }
}

/** `script -qc "rm x" /dev/null`; without a command, the shell reads its input. */
function script(call: Call): Runs {
  const read = readOptions(call.args, {
    short: 'ac:E:efI:O:B:m:o:qt::T:hV',
    long: 'append command: echo: return flush force log-in: log-out: log-io: logging-format: output-limit: quiet timing:: log-timing: help version',
    isPermuting: true,
  })
  if (read.isUnclear || read.rest.length > 1) return unreadable(call)
  if (!hasOption(read, 'c', 'command')) return unreadable(call, 'starts, a shell that reads its input,')
  return scriptOf(call, read, 'c', 'command')
}

/** `watch -n 1 rm x` gives its words to a shell, as one text. */
function watch(call: Call): Runs {
  const read = readOptions(call.args, {
    short: 'bcCd::ef:gn:pq:rs:tvwxhV',
    long: 'beep color no-color differences:: errexit follow chgexit interval: precise equexit: no-rerun shotsdir: no-title no-wrap exec help version',
  })
  if (read.isUnclear || call.hasMore) return unreadable(call)
  if (read.rest.length === 0) return {}
  return hasOption(read, 'x', 'exec') ? { commands: [read.rest] } : { scripts: [joinWords(read.rest)] }
}

/** Runs each word behind `:::`, or each line of its input, with the words before it or as a command line of its own. */
function parallel(call: Call): Runs {
  const end = call.args.findIndex(({ text }) => /^(?::::\+?|::::\+?|--)$/.test(text))
  const before = end === -1 ? call.args : call.args.slice(0, end)
  const read = readOptions(before, {
    short: 'j:P:kqtvXxmn:N:L:I:a:S:0ruws',
    long: 'jobs: max-procs: keep-order dry-run null will-cite halt: delay: colsep: max-args: no-notice bar eta progress id: fg bg wait semaphore',
  })
  const template = joinWords(read.rest)
  if (read.isUnclear || read.rest.length === 0 || /\{=|^\s*\{/.test(template.text)) return unreadable(call)
  // What it puts in is one word each time, at the end if nowhere else.
  const text = `${template.text.replaceAll(/\{[^{}\s]*\}/g, '"$x"')} "$x"`
  return { scripts: [{ ...template, text }] }
}

/** `ssh host rm x` runs it elsewhere; without a command, the shell there reads its input. */
function remote(call: Call): Runs {
  const read = readOptions(call.args, {
    short: '46AaB:b:Cc:D:E:e:F:fGgI:i:J:KkL:l:Mm:NnO:o:P:p:Q:qR:S:sTtVvW:w:XxYy',
  })
  const isHooked = read.options.some(
    ({ name, value }) => name === 'o' && (value?.isKnown !== true || /command/i.test(value.text)),
  )
  if (read.isUnclear || isHooked) return unreadable(call)
  // Its options may stand behind the host too.
  const command = readOptions(read.rest.slice(1), { short: '46AaCfGgKkMNnqsTtVvXxYyi:l:p:o:' })
  if (command.isUnclear || hasOption(command, 'o')) return unreadable(call)
  if (command.rest.length > 0) return { scripts: [joinWords(command.rest)] }
  const { inputs, otherInputs, isPiped } = call.command
  return inputs.length + otherInputs.length > 0 || isPiped ? unreadable(call, 'reads') : {}
}
