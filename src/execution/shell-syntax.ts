/**
 * Reads a command line the way bash would, as far as the deny list needs it: which simple commands are in it, also those
 * inside `$( )`, backticks, quotes and here-documents, and with which words. Never fails: what it does not understand it
 * takes for ordinary characters. Time grows with the length of the text, whatever is in it.
 */

/**
 * Stands in a word for the home directory, however it was spelled (`~`, `$HOME`, `${HOME}`). The caller makes sure that the
 * command itself has no NUL.
 */
export const HOME_MARK = '\0'

/** `rm -rf "$HOME" > log` has the words `rm`, `-rf`, HOME_MARK and the output `log`. */
export interface SimpleCommand {
  /** Quotes removed. A substitution, whose result nobody knows, stands as `$()`. */
  readonly words: string[]
  /** Targets of `>`, `>>`, `&>` and the like. */
  readonly outputs: string[]
  /** What here-documents and here-strings feed it. */
  readonly inputs: string[]
}

export interface ShellToken {
  readonly kind: 'WORD' | 'OPERATOR'
  readonly text: string
}

export interface ShellSyntax {
  readonly commands: readonly SimpleCommand[]
  /** Words and operators in their order, for what concerns more than one command (a fork bomb). */
  readonly tokens: readonly ShellToken[]
  /** Substitutions stand in each other deeper than this reads: the rest is unknown. */
  readonly isTooDeep: boolean
}

export function readShell(text: string): ShellSyntax {
  const syntax = { commands: [], tokens: [], isTooDeep: false }
  new ShellReader(text, 0, syntax).readAll()
  return syntax
}

interface GrowingSyntax {
  readonly commands: SimpleCommand[]
  readonly tokens: ShellToken[]
  isTooDeep: boolean
}

interface HereDocument {
  readonly delimiter: string
  /** Nothing in it is substituted. */
  readonly isLiteral: boolean
  readonly stripsTabs: boolean
  readonly command: SimpleCommand
}

const MAX_DEPTH = 40
/** In place of what only bash will know. */
const UNKNOWN = '$()'
/** Words of the shell behind which another command begins. */
const BEFORE_COMMANDS = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', 'time', '!', '{'])

// Each matches at one place only (sticky).
const OPERATOR = /&&|\|\||\|&|;;|[;&|()]/y
const REDIRECTION = /&>>|&>|>>|>\||>&|<>|<<<|<<-|<<|<&|[<>]/y
/** The number (or variable) of what is redirected: `2>log` has no word "2". */
const DESCRIPTOR = /(?:\d+|\{\w+\})(?=[<>])/y
const BLANKS = /(?:[ \t\r]|\\\n)+/y
const COMMENT = /#[^\n]*/y
const PLAIN = /[^ \t\r\n;&|()<>\\'"$`]+/y
const PLAIN_IN_QUOTES = /[^"\\$`]+/y
const PLAIN_IN_BRACES = /[^}\\'"$`]+/y
const ESCAPED = /\\([\s\S]?)/y
const SINGLE_QUOTED = /'([^']*)'?/y
const ANSI_QUOTED = /\$'((?:[^'\\]|\\[\s\S])*)'?/y
const BACKTICKED = /`((?:[^`\\]|\\[\s\S])*)`?/y
const TILDE = /~[\w.+-]*(?=[ \t\r\n;&|()<>/]|$)/y
const VARIABLE = /\$(\w+|[@*#?$!-])/y
const LINE = /([^\n]*)(?:\n|$)/y

class ShellReader {
  readonly #text: string
  readonly #syntax: GrowingSyntax
  #depth: number
  #at = 0
  #current = emptyCommand()
  #hereDocuments: HereDocument[] = []
  /** `case` without its `esac` so far: the bracket behind a pattern closes nothing. */
  #openCases = 0

  constructor(text: string, depth: number, syntax: GrowingSyntax) {
    this.#text = text
    this.#depth = depth
    this.#syntax = syntax
  }

  readAll(): void {
    this.#readCommands(false)
  }

  /** To the end of the text, or behind the bracket that closes the substitution. */
  #readCommands(untilBracket: boolean): void {
    const outer = this.#current
    const outerCases = this.#openCases
    this.#current = emptyCommand()
    this.#openCases = 0
    let openBrackets = 0
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at)
      const isLone = char === ')' && openBrackets === 0
      if (isLone && untilBracket && this.#openCases === 0) break
      openBrackets += char === '(' ? 1 : char === ')' && !isLone ? -1 : 0
      this.#readNext(char)
    }
    this.#at += 1
    this.#endCommand()
    this.#current = outer
    this.#openCases = outerCases
  }

  #readNext(char: string): void {
    if (this.#take(BLANKS) !== null || this.#take(COMMENT) !== null) return
    if (char === '\n') return this.#endLine()
    this.#take(DESCRIPTOR)
    if (this.#readRedirection()) return
    const operator = this.#take(OPERATOR)
    if (operator === null) return this.#addWord(this.#readWord())
    this.#endCommand()
    this.#syntax.tokens.push({ kind: 'OPERATOR', text: operator[0] })
  }

  #addWord(text: string): void {
    const isFirst = this.#current.words.every((word) => BEFORE_COMMANDS.has(word))
    if (isFirst && text === 'case') this.#openCases += 1
    if (isFirst && text === 'esac') this.#openCases = Math.max(0, this.#openCases - 1)
    this.#current.words.push(text)
    this.#syntax.tokens.push({ kind: 'WORD', text })
  }

  #endCommand(): void {
    const { words, outputs } = this.#current
    if (words.length > 0 || outputs.length > 0) this.#syntax.commands.push(this.#current)
    this.#current = emptyCommand()
  }

  #endLine(): void {
    this.#at += 1
    this.#endCommand()
    this.#syntax.tokens.push({ kind: 'OPERATOR', text: '\n' })
    for (const document of this.#hereDocuments.splice(0)) this.#readHereDocument(document)
  }

  #readRedirection(): boolean {
    const operator = this.#take(REDIRECTION)?.[0]
    if (operator === undefined) return false
    if (operator.length === 1 && this.#text.charAt(this.#at) === '(') {
      this.#at += 1
      this.#addWord(this.#readSubstitution())
      return true
    }
    this.#take(BLANKS)
    const start = this.#at
    const target = this.#readWord()
    const isLiteral = /['"\\]/.test(this.#text.slice(start, this.#at))
    if (operator === '<<<') this.#current.inputs.push(target)
    else if (operator.startsWith('<<')) {
      const stripsTabs = operator === '<<-'
      this.#hereDocuments.push({ delimiter: target, isLiteral, stripsTabs, command: this.#current })
    } else if (operator !== '<' && operator !== '<&') this.#current.outputs.push(target)
    return true
  }

  #readHereDocument({ delimiter, isLiteral, stripsTabs, command }: HereDocument): void {
    const lines: string[] = []
    while (this.#at < this.#text.length) {
      const line = this.#take(LINE)?.[1] ?? ''
      if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) break
      lines.push(line)
    }
    const body = lines.join('\n')
    command.inputs.push(body)
    if (!isLiteral) this.#readElsewhere(body, (reader) => reader.#readQuoted(null))
  }

  #readWord(): string {
    const parts: string[] = [this.#take(TILDE) === null ? '' : HOME_MARK]
    while (this.#at < this.#text.length) {
      const plain = this.#take(PLAIN)
      const part = plain === null ? this.#readSpecial() : plain[0]
      if (part === null) break
      parts.push(part)
    }
    return parts.join('')
  }

  /** A part of a word that begins with a quote, an escape or a dollar; null: the word ends here. */
  #readSpecial(): string | null {
    const escaped = this.#take(ESCAPED)?.[1]
    if (escaped !== undefined) return escaped === '\n' ? '' : escaped
    const quoted = this.#take(SINGLE_QUOTED)?.[1]
    if (quoted !== undefined) return quoted
    const ansi = this.#take(ANSI_QUOTED)?.[1]
    if (ansi !== undefined) return decodeAnsi(ansi)
    if (this.#text.charAt(this.#at) !== '"') return this.#readExpansion()
    this.#at += 1
    return this.#readQuoted('"')
  }

  /** What stands between double quotes, or the whole rest (null). */
  #readQuoted(end: '"' | null): string {
    const parts: string[] = []
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at)
      if (char === end) break
      const plain = this.#take(PLAIN_IN_QUOTES)?.[0]
      if (plain !== undefined) parts.push(plain)
      else if (char === '\\') parts.push(unescapeInQuotes(this.#take(ESCAPED)?.[1] ?? ''))
      else parts.push(this.#readExpansion() ?? this.#skip())
    }
    this.#at += 1
    return parts.join('')
  }

  /** At a dollar or a backtick; null at anything else. */
  #readExpansion(): string | null {
    const inner = this.#take(BACKTICKED)?.[1]
    if (inner !== undefined) {
      this.#readElsewhere(inner.replaceAll(/\\([\\`$])/g, '$1'), (reader) => reader.#readCommands(false))
      return UNKNOWN
    }
    if (this.#text.charAt(this.#at) !== '$') return null
    const name = this.#take(VARIABLE)
    if (name !== null) return name[1] === 'HOME' ? HOME_MARK : name[0]
    const next = this.#text.charAt(this.#at + 1)
    if (next !== '(' && next !== '{') return this.#skip()
    this.#at += 2
    return next === '(' ? this.#readSubstitution() : this.#nest(() => this.#readParameter())
  }

  /** Behind the opening bracket. */
  #readSubstitution(): string {
    this.#nest(() => this.#readCommands(true))
    return UNKNOWN
  }

  /** The rest of `${name…}`: its value is known for HOME only, but commands may stand in it. */
  #readParameter(): string {
    const isHome = /^HOME(?!\w)/.test(this.#text.slice(this.#at, this.#at + 5))
    while (this.#at < this.#text.length && this.#text.charAt(this.#at) !== '}') {
      if (this.#take(PLAIN_IN_BRACES) === null && this.#readSpecial() === null) this.#skip()
    }
    this.#at += 1
    return isHome ? HOME_MARK : UNKNOWN
  }

  #nest<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) {
      this.#syntax.isTooDeep = true
      this.#at = this.#text.length
    }
    const result = read()
    this.#depth -= 1
    return result
  }

  /** Text that is not part of this text as it stands: its escapes were removed. */
  #readElsewhere(text: string, read: (reader: ShellReader) => void): void {
    if (this.#depth >= MAX_DEPTH) this.#syntax.isTooDeep = true
    else read(new ShellReader(text, this.#depth + 1, this.#syntax))
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at = pattern.lastIndex
    return match
  }

  #skip(): string {
    this.#at += 1
    return this.#text.charAt(this.#at - 1)
  }
}

function emptyCommand(): SimpleCommand {
  return { words: [], outputs: [], inputs: [] }
}

/** Between double quotes a backslash is one, unless it stands before what would mean something there. */
function unescapeInQuotes(char: string): string {
  if (char === '\n') return ''
  return '$`"\\'.includes(char) ? char : `\\${char}`
}

const ANSI_ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/** `$'\x2f'` is a slash. */
function decodeAnsi(text: string): string {
  return text.replaceAll(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[\s\S])/g, (_, escape: string) => {
    if (/^x./.test(escape)) return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8))
    return ANSI_ESCAPES[escape] ?? escape
  })
}
