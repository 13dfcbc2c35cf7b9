/**
 * Lines "/name arguments" of a text. A user types one as the first line of a message; of a model's text, those whose
 * name is one of `names` are taken out, whole lines with their ends.
 *
 * What must hold: a text in pieces comes out as it would whole, wherever it was cut, and nothing of a line that is
 * taken out comes out.
 */
export interface CommandLine {
  /** Without the slash. */
  readonly name: string
  readonly args: string
}

const LINE = /^\/([A-Za-z0-9][A-Za-z0-9_-]{0,47})(?:[ \t]+(.*))?$/

/** Null: it is an ordinary line. */
export function readCommandLine(line: string): CommandLine | null {
  const [, name, args = ''] = LINE.exec(line.trimEnd()) ?? []
  return name === undefined ? null : { name, args }
}

/** The first line of a message as a command, and what follows it; null: it is none. */
export function splitCommand(message: string): { readonly command: CommandLine; readonly rest: string } | null {
  const end = message.indexOf('\n')
  const command = readCommandLine(withUsualSigns(end === -1 ? message : message.slice(0, end)))
  return command === null ? null : { command, rest: end === -1 ? '' : message.slice(end + 1) }
}

/** Keyboards of East Asia write a wide slash and a wide space. */
function withUsualSigns(line: string): string {
  return line.replace(/^\uff0f/, '/').replace(/^(\/\S+)\u3000/, '$1 ')
}

/** Takes such lines out of a text that comes in pieces. */
export class CommandLines {
  readonly #names: ReadonlySet<string>
  readonly #found: CommandLine[] = []
  /** What may still be such a line; null: this line is none. */
  #held: string | null = ''

  constructor(names: ReadonlySet<string>) {
    this.#names = names
  }

  /** Those that were taken out, in their order. */
  get found(): readonly CommandLine[] {
    return this.#found
  }

  /** What can be said by now. */
  push(piece: string): string {
    if (this.#held === null && !piece.includes('\n')) return piece
    let said = ''
    for (let at = 0; at < piece.length; at += 1) said += this.#read(piece.charAt(at))
    return said
  }

  /** The rest. */
  end(): string {
    return this.#endLine('')
  }

  #read(char: string): string {
    if (char === '\n') {
      const said = this.#endLine('\n')
      this.#held = ''
      return said
    }
    if (this.#held === null) return char
    this.#held += char
    if (this.#mayBeOne(this.#held)) return ''
    const said = this.#held
    this.#held = null
    return said
  }

  #endLine(end: string): string {
    const line = this.#held
    this.#held = null
    if (line === null) return end
    const command = readCommandLine(line)
    if (command === null || !this.#names.has(command.name)) return line + end
    this.#found.push(command)
    return ''
  }

  #mayBeOne(line: string): boolean {
    if (!line.startsWith('/')) return false
    const [word = ''] = line.slice(1).split(/[ \t\r]/, 1)
    if (word.length < line.length - 1) return this.#names.has(word)
    return [...this.#names].some((name) => name.startsWith(word))
  }
}

/** A whole text without them, and they. */
export function takeCommandLines(
  text: string,
  names: ReadonlySet<string>,
): { readonly text: string; readonly found: readonly CommandLine[] } {
  const lines = new CommandLines(names)
  const said = lines.push(text) + lines.end()
  return { text: said, found: lines.found }
}
