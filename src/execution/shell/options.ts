/** The options of a program's call, read as getopt does. */
import type { ShellWord } from './shell-word.ts'

/** Which options a program has; letters and names that are missing here make a call unclear. */
export interface OptionRules {
  /**
   * As for getopt: a letter takes a value when ":" follows, and one that is written together with it when "::" does.
   */
  readonly short?: string
  /** The same for long options, apart by blanks: `unset: null`. */
  readonly long?: string
  /** Also `-10`: nice. */
  readonly hasNumbers?: boolean
  /** Options may stand behind other words. */
  readonly isPermuting?: boolean
  /** A lone `-` is an option too: env, sh. */
  readonly hasDash?: boolean
}

interface GivenOption {
  /** A letter, or the whole name of a long option. */
  readonly name: string
  readonly value: ShellWord | null
}

/** A call's words, read as far as they are certain. */
export interface ReadOptions {
  readonly options: readonly GivenOption[]
  /** The other words. */
  readonly rest: readonly ShellWord[]
  /** An option is not known here, or only bash will know a word: where the rest begins is not certain. */
  readonly isUnclear: boolean
}

/**
 * Ends at `--`, at the first word that may or may not be an option, and, unless `isPermuting`, at the first other word.
 */
export function readOptions(args: readonly ShellWord[], rules: OptionRules): ReadOptions {
  const options: GivenOption[] = []
  const rest: ShellWord[] = []
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]
    if (word === undefined || word.text === '--')
      return { options, rest: [...rest, ...args.slice(at + 1)], isUnclear: false }
    if (mayBeOptions(word)) return { options, rest, isUnclear: true }
    const read = readOption(word, args[at + 1] ?? null, rules)
    if (read === 'UNCLEAR') return { options, rest, isUnclear: true }
    if (read === null) {
      rest.push(word)
      if (rules.isPermuting !== true) return { options, rest: args.slice(at), isUnclear: false }
      continue
    }
    options.push(...read.options)
    if (read.takesNext) at += 1
  }
  return { options, rest, isUnclear: false }
}

/** Only bash will know the beginning of the word, or which words come of it. */
function mayBeOptions({ text, isKnown, isOne, isPattern }: ShellWord): boolean {
  return !isKnown && ((!isOne && !isPattern) || !/^[\w./%:@,+-]/.test(text))
}

interface ReadOption {
  readonly options: readonly GivenOption[]
  readonly takesNext: boolean
}

/** Null: the word is none. */
function readOption(word: ShellWord, next: ShellWord | null, rules: OptionRules): ReadOption | null | 'UNCLEAR' {
  const { text } = word
  if (text === '-') return rules.hasDash === true ? { options: [], takesNext: false } : null
  if (!text.startsWith('-')) return null
  const read = text.startsWith('--') ? readLong(word, next, rules) : readShort(word, next, rules)
  // What is not one word may hold anything from its second one on.
  const isMany = [word, ...(read !== 'UNCLEAR' && read.takesNext && next !== null ? [next] : [])].some(
    ({ isOne }) => !isOne,
  )
  return isMany ? 'UNCLEAR' : read
}

function readShort(
  word: ShellWord,
  next: ShellWord | null,
  { short = '', hasNumbers }: OptionRules,
): ReadOption | 'UNCLEAR' {
  const { text, isKnown } = word
  const options: GivenOption[] = []
  if (hasNumbers === true && /^-\d+$/.test(text)) return { options, takesNext: false }
  for (let at = 1; at < text.length; at += 1) {
    const letter = text.charAt(at)
    const found = /[\w@?]/.test(letter) ? short.indexOf(letter) : -1
    if (found === -1) return 'UNCLEAR'
    const attached = text.slice(at + 1)
    const isOptional = short.slice(found + 1, found + 3) === '::'
    if (short.charAt(found + 1) !== ':') options.push({ name: letter, value: null })
    else if (attached !== '' || isOptional) {
      return { options: [...options, { name: letter, value: { ...word, text: attached } }], takesNext: false }
    } else return { options: [...options, { name: letter, value: next }], takesNext: true }
  }
  return isKnown ? { options, takesNext: false } : 'UNCLEAR'
}

/** Long names may be shortened: `--split` is `--split-string`. */
function readLong(word: ShellWord, next: ShellWord | null, { long = '' }: OptionRules): ReadOption | 'UNCLEAR' {
  const [, given = '', attached] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word.text) ?? []
  const known = long.split(' ').filter((one) => one !== '')
  const exact = known.find((one) => one.replace(/:+$/, '') === given)
  const candidates = exact === undefined ? known.filter((one) => one.startsWith(given)) : [exact]
  const [found, other] = candidates
  if (found === undefined || other !== undefined || (attached === undefined && !word.isKnown)) return 'UNCLEAR'
  const name = found.replace(/:+$/, '')
  const value = attached === undefined ? null : { ...word, text: attached }
  if (attached !== undefined || !found.endsWith(':') || found.endsWith('::'))
    return { options: [{ name, value }], takesNext: false }
  return { options: [{ name, value: next }], takesNext: true }
}

/** The value of the last of these options; null: none was given. */
export function valueOf({ options }: ReadOptions, ...names: readonly string[]): ShellWord | null {
  return options.findLast(({ name }) => names.includes(name))?.value ?? null
}

/** Whether one of these options was given. Of a call that `isUnclear`, false says nothing. */
export function hasOption({ options }: ReadOptions, ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name))
}
