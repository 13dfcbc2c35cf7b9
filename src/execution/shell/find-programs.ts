/** Which programs a simple command really runs: its own, and those that wrappers, shells and the like start in turn. */
import type { Call, Runs } from './call.ts'
import { interpreterRule } from './interpreters.ts'
import type { ShellCommand } from './read-shell.ts'
import { shellRule } from './shell-calls.ts'
import { HOME_MARK, type ShellWord } from './shell-word.ts'
import { wayOutRule } from './ways-out.ts'
import { runsSomewhere, wrapperRule } from './wrappers.ts'

/** A program that a command runs, directly or through others. */
export interface FoundProgram {
  /** Its own word first. */
  readonly words: readonly ShellWord[]
  /** Without its folder: `/bin/rm` is `rm`; null when only bash will know it. */
  readonly name: string | null
  /** More words follow that are not in the line. */
  readonly hasMore: boolean
  readonly scripts: readonly FoundScript[]
  /** Files that it runs. */
  readonly files: readonly ShellWord[]
  /** What it runs and cannot be read: half a sentence; null: nothing. */
  readonly unreadable: string | null
  /** It may be a program or just a word of another one (`docker run x rm`). */
  readonly isGuess: boolean
}

/** A text that it gives to a shell. */
export interface FoundScript {
  readonly text: string
  /** Only bash will know parts of the text. */
  readonly isKnown: boolean
  /** It may be another shell than bash. */
  readonly isPosix: boolean
  /** It may be no script at all. */
  readonly isGuess: boolean
}

/** `nohup nohup …`: a longer chain counts as unreadable. */
const MAX_CHAIN = 20
/** `find -exec find -exec …` has more ways to be read than can be counted. */
const MAX_PROGRAMS = 500
/** Of which each may be a command: beyond that they are not read. */
const MAX_GUESSES = 200

/** From the outside in; none when the command has no words. */
export function findPrograms(command: ShellCommand): readonly FoundProgram[] {
  return new ProgramFinder(command).find()
}

interface Start {
  readonly words: readonly ShellWord[]
  readonly hasMore: boolean
  readonly isGuess: boolean
  readonly depth: number
}

class ProgramFinder {
  readonly #command: ShellCommand
  readonly #found: FoundProgram[] = []

  constructor(command: ShellCommand) {
    this.#command = command
  }

  find(): readonly FoundProgram[] {
    const { words } = this.#command
    if (words.length > 0) this.#add({ words, hasMore: false, isGuess: false, depth: 0 })
    return this.#found
  }

  #add(start: Start): void {
    const { words, hasMore, isGuess, depth } = start
    const [first] = words
    if ((first === undefined && !hasMore) || this.#found.length > MAX_PROGRAMS) return
    const name = first === undefined ? null : nameOf(first)
    const runs = name === null ? {} : runsOf({ name, args: words.slice(1), command: this.#command, hasMore })
    const isTooLong = depth >= MAX_CHAIN || this.#found.length >= MAX_PROGRAMS
    const tooLong = isTooLong ? 'its commands start each other too often to be read' : null
    this.#found.push({
      words,
      name,
      hasMore,
      scripts: scriptsOf(runs, { isPosix: !BASH.has(name ?? ''), isGuess }),
      files: runs.files ?? [],
      unreadable: runs.unreadable ?? tooLong,
      isGuess,
    })
    if (tooLong !== null) return
    const inner = { hasMore: hasMore || runs.addsWords === true, depth: depth + 1 }
    for (const command of runs.commands ?? []) this.#add({ ...inner, isGuess, words: command })
    // Inside a guess every word is one already.
    if (!isGuess) this.#guess(runs.somewhere ?? [], depth)
  }

  #guess(args: readonly ShellWord[], depth: number): void {
    // Of more words the call is unreadable anyway: to give all of them to each guess takes time.
    const words = args.slice(0, MAX_GUESSES)
    for (const [index, word] of words.entries()) {
      const value = /^--?[\w-]+=(.+)$/s.exec(word.text)?.[1]
      const first = namedWord(value === undefined ? word : { ...word, text: value })
      // No program can start these: in `docker exec -it x ls` the first word is docker's own.
      if (BUILTINS.has(first.text)) continue
      this.#add({ words: [first, ...words.slice(index + 1)], hasMore: false, isGuess: true, depth: depth + 1 })
    }
  }
}

/** Of those with rules, what is a command only within a shell. */
const BUILTINS: ReadonlySet<string> = new Set(
  '. alias builtin compgen complete enable eval exec fc hash jobs mapfile readarray source trap'.split(' '),
)

/** `"$PWD"/x` is an x, wherever that lies. */
function namedWord(word: ShellWord): ShellWord {
  const name = word.text.slice(word.text.lastIndexOf('/') + 1)
  return !word.isKnown && word.isOne && /^[\w.:@%+=-]+$/.test(name) ? { ...word, text: name, isKnown: true } : word
}

/** What they run is read by the bash that runs them, mostly. */
const BASH = new Set(['bash', 'rbash', 'eval', 'trap', 'mapfile', 'readarray', 'complete', 'compgen'])

function scriptsOf(
  { scripts = [], somewhere = [] }: Runs,
  { isPosix, isGuess }: Pick<FoundScript, 'isPosix' | 'isGuess'>,
): readonly FoundScript[] {
  // `docker exec x "rm y"`, `ssh x "rm y"`
  const lines = somewhere.filter(({ text, isKnown }) => isKnown && /\s/.test(text))
  return [
    ...scripts.map(({ text, isKnown }) => ({ text, isKnown, isPosix, isGuess })),
    ...lines.map(({ text, isKnown }) => ({ text, isKnown, isPosix, isGuess: true })),
  ]
}

function runsOf(call: Call): Runs {
  const { name, args } = call
  const rule = wrapperRule(name) ?? shellRule(name) ?? interpreterRule(name) ?? wayOutRule(name)
  const runs = rule === null ? {} : rule(call)
  if (!runsSomewhere(name)) return runs
  const tooLong = args.length > MAX_GUESSES ? { unreadable: `what "${name}" runs is too long to be read` } : {}
  return { ...tooLong, ...runs, somewhere: args }
}

/** Null: only bash will know it. */
function nameOf({ text, isKnown, isPattern }: ShellWord): string | null {
  const name = text.slice(text.lastIndexOf('/') + 1)
  return isKnown && !isPattern && name !== HOME_MARK ? name : null
}
