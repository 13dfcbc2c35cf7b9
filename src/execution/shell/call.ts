/** A program's call in a command line, and what a rule for the program says that it runs in turn. */
import type { ShellCommand } from './read-shell.ts'
import type { ShellWord } from './shell-word.ts'

/** What a rule sees of a call. */
export interface Call {
  /** Without its folder: `/bin/rm` is `rm`. */
  readonly name: string
  readonly args: readonly ShellWord[]
  /** The command in which it stands: what is on its standard input. */
  readonly command: Pick<ShellCommand, 'inputs' | 'otherInputs' | 'isPiped'>
  /** More words follow that are not in the line: `xargs`. */
  readonly hasMore: boolean
}

/** All are about what the program runs besides itself; what is absent is none. */
export interface Runs {
  /** Programs with their words. */
  readonly commands?: readonly (readonly ShellWord[])[]
  /** The commands get more words than these. */
  readonly addsWords?: boolean
  /** Words in which a command stands, at an unknown place. */
  readonly somewhere?: readonly ShellWord[]
  /** Texts that it gives to a shell. */
  readonly scripts?: readonly ShellWord[]
  /** Files that it runs. */
  readonly files?: readonly ShellWord[]
  /** What it runs and cannot be read: half a sentence, for people. */
  readonly unreadable?: string
}

/**
 * Never throws, and runs nothing. What it does not understand it must call `unreadable`: an omission would let a
 * command through unjudged.
 */
export type CallRule = (call: Call) => Runs

/** The result of a rule that cannot know what the program runs. `what` goes on after the program's name. */
export function unreadable({ name }: Pick<Call, 'name'>, what = 'is given to run'): Runs {
  return { unreadable: `what "${name}" ${what} cannot be read` }
}

/** One text of several words, as `eval` makes it. */
export function joinWords(words: readonly ShellWord[]): ShellWord {
  return {
    text: words.map(({ text }) => text).join(' '),
    isKnown: words.every(({ isKnown }) => isKnown),
    isOne: true,
    isPattern: false,
  }
}

/** A file by a name that is in the line, and not what the line itself feeds in under a name of the system. */
export function isOrdinaryFile({ text, isKnown }: ShellWord): boolean {
  return isKnown && /^[\w@%+=:,./~\0 -]+$/.test(text) && !/^(?:-|\/+(?:dev|proc)\/.*)$/.test(text)
}
