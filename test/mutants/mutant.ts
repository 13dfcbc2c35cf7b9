/** A small change of the product that breaks one of its promises, and the tests that must notice. */
export interface Mutant {
  /** Kebab-case, unique; `--only` takes it. */
  readonly name: string
  /** The promise that the change breaks, as a sentence. */
  readonly promise: string
  /** The file that is changed, from the root. */
  readonly file: string
  /** Stands exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The test files that must fail; as few as notice it. */
  readonly tests: readonly string[]
}

/**
 * The text with the mutant's change. Throws when `find` does not stand there exactly once: the list is out of date
 * then.
 */
export function mutate(text: string, { name, file, find, replace }: Omit<Mutant, 'tests' | 'promise'>): string {
  const [before, after, ...more] = text.split(find)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`mutant ${name}: its text stands ${text.split(find).length - 1} times in ${file}, not once`)
  if (find === replace) throw new Error(`mutant ${name} changes nothing`)
  return `${before}${replace}${after}`
}
