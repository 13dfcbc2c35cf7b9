/**
 * Which of the files that a person adds go with the next message, and under which names: no two of them have the same,
 * because a file of a name replaces the one that the session has.
 */
export const MOST_FILES = 10

export interface NamedFile<File> {
  readonly name: string
  readonly file: File
}

/** Those that there is place for, beside those that are there already by the names of `taken`. */
export function nameFiles<File>(files: readonly NamedFile<File>[], taken: readonly string[]): NamedFile<File>[] {
  const names = new Set(taken)
  return files.slice(0, Math.max(0, MOST_FILES - names.size)).map(({ name, file }) => {
    const unused = unusedName(name, names)
    names.add(unused)
    return { name: unused, file }
  })
}

/**
 * The name of a file that was pasted. Browsers call every picture of the clipboard "image.png", so that a second one
 * would replace that of an earlier message; it is named by the time. A file that was copied keeps its name.
 */
export function pastedName(name: string, at: Date): string {
  const [base, extension] = splitName(name)
  return base === 'image' ? `image-${at.toISOString().replaceAll(/[^\dT]/g, '')}${extension}` : name
}

function unusedName(name: string, used: ReadonlySet<string>): string {
  const [base, extension] = splitName(name)
  let unused = name
  for (let n = 2; used.has(unused); n += 1) unused = `${base}-${n}${extension}`
  return unused
}

/** The extension begins with its dot; empty where there is none. */
function splitName(name: string): [string, string] {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
}
