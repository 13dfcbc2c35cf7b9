/** Which program a simple command really runs: behind assignments, reserved words and wrappers such as `sudo` and `env`. */
import { HOME_MARK, type SimpleCommand } from './shell-syntax.ts'

export interface Program {
  /** Without its folder: `/bin/rm` is `rm`. */
  readonly name: string
  readonly args: readonly string[]
}

/** Words before which a command still stands at its beginning. */
const RESERVED_WORDS = new Set(['if', 'then', 'elif', 'else', 'do', 'while', 'until', '!', '{', 'time', 'coproc'])
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

interface Wrapper {
  /** One-letter options that take the next word as their value. */
  readonly valueOptions: string
  /** Words of its own before the command. */
  readonly ownWords: number
}

const WRAPPERS = new Map<string, Wrapper>([
  ['builtin', { valueOptions: '', ownWords: 0 }],
  ['busybox', { valueOptions: '', ownWords: 0 }],
  ['chroot', { valueOptions: '', ownWords: 1 }],
  ['command', { valueOptions: '', ownWords: 0 }],
  ['doas', { valueOptions: 'Cu', ownWords: 0 }],
  ['env', { valueOptions: 'Cu', ownWords: 0 }],
  ['exec', { valueOptions: 'a', ownWords: 0 }],
  ['fakeroot', { valueOptions: 'libsu', ownWords: 0 }],
  ['flock', { valueOptions: 'wE', ownWords: 1 }],
  ['function', { valueOptions: '', ownWords: 1 }],
  ['ionice', { valueOptions: 'cnpPu', ownWords: 0 }],
  ['nice', { valueOptions: 'n', ownWords: 0 }],
  ['nohup', { valueOptions: '', ownWords: 0 }],
  ['parallel', { valueOptions: 'jnI', ownWords: 0 }],
  ['setpriv', { valueOptions: '', ownWords: 0 }],
  ['setsid', { valueOptions: '', ownWords: 0 }],
  ['strace', { valueOptions: 'eopsuaEPSOIbX', ownWords: 0 }],
  ['stdbuf', { valueOptions: 'ioe', ownWords: 0 }],
  ['taskset', { valueOptions: '', ownWords: 1 }],
  ['sudo', { valueOptions: 'CDghpRrTtUu', ownWords: 0 }],
  ['timeout', { valueOptions: 'ks', ownWords: 1 }],
  ['toybox', { valueOptions: '', ownWords: 0 }],
  ['unshare', { valueOptions: 'SGRw', ownWords: 0 }],
  ['watch', { valueOptions: 'n', ownWords: 0 }],
  ['xargs', { valueOptions: 'adEILnPs', ownWords: 0 }],
])

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh'])

/** Null: the words run nothing (only assignments). */
export function findProgram(words: readonly string[]): Program | null {
  const at = findStarts(words).at(-1)
  const word = at === undefined ? undefined : words[at]
  return at === undefined || word === undefined ? null : { name: nameOf(word), args: words.slice(at + 1) }
}

/**
 * Where programs begin in the words: each wrapper, then what it runs. `sudo nice rm` has three. The last one may be behind the
 * last word: a wrapper that runs nothing.
 */
export function findStarts(words: readonly string[]): readonly number[] {
  const starts: number[] = []
  let at = 0
  for (;;) {
    while (isBeforeCommand(words[at])) at += 1
    starts.push(at)
    const word = words[at]
    const wrapper = word === undefined ? undefined : WRAPPERS.get(nameOf(word))
    if (wrapper === undefined) return starts
    at = skipOptions(words, at + 1, wrapper.valueOptions) + wrapper.ownWords
  }
}

/** `/bin/rm` is `rm`. */
export function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}

/** Whether a shell runs what it is given on standard input, or by a name that nobody knows before. */
export function readsUnknownScript({ name, args }: Program, { inputs }: SimpleCommand): boolean {
  if (name === 'source' || name === '.') return args[0]?.includes('$') === true
  if (!SHELLS.has(name)) return false
  const end = skipOptions(args, 0, 'oO')
  if (args.slice(0, end).some((option) => /^-[A-Za-z]*c/.test(option))) return false
  if (end < args.length && !args.slice(0, end).includes('-s')) return args[end]?.includes('$') === true
  return inputs.length === 0
}

/** Texts that the command gives to a shell: the script of `bash -c`, the words of `eval`, a here-document for `sh`. */
export function findScripts({ name, args }: Program, { inputs }: SimpleCommand): readonly string[] {
  return rawScripts(name, args, inputs).map((script) => script.replaceAll(HOME_MARK, '$HOME'))
}

function rawScripts(name: string, args: readonly string[], inputs: readonly string[]): readonly string[] {
  if (name === 'eval') return [args.join(' ')]
  if (name === 'trap') return args.slice(0, 1)
  if (name === 'su') return args.slice(1).filter((_, index) => args[index] === '-c')
  if (!SHELLS.has(name)) return []
  const end = skipOptions(args, 0, 'oO')
  if (args.slice(0, end).some((option) => /^-[A-Za-z]*c/.test(option))) return args.slice(end, end + 1)
  // Without a script, or told to with -s, a shell reads its input.
  return end === args.length || args.slice(0, end).includes('-s') ? inputs : []
}

function isBeforeCommand(word: string | undefined): boolean {
  // No program begins with a dash: it is an option of a reserved word (`time -p`).
  return word !== undefined && (RESERVED_WORDS.has(word) || ASSIGNMENT.test(word) || word.startsWith('-'))
}

/** The index of the first word from `start` that is neither an option nor an option's value. */
function skipOptions(words: readonly string[], start: number, valueOptions: string): number {
  let at = start
  for (; ; at += 1) {
    const word = words[at]
    if (word === undefined || !/^[-+]./.test(word)) return at
    if (word === '--') return at + 1
    if (!word.startsWith('--') && valueOptions.includes(word.charAt(word.length - 1))) at += 1
  }
}
