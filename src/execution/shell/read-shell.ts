/**
 * Reads a command line as bash does: which simple commands are in it, also those inside substitutions, here-documents,
 * functions and arithmetic, and with which words. The syntax is unbash's; this walks its tree.
 *
 * What must hold: it never throws, whatever the text is, and its time is bounded. What could not be read for certain is
 * said (`problem`), so that who judges the line can be strict.
 */
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Function as FunctionNode,
} from 'unbash'
import { readAssignmentWord, readHereDocument, readWord, wordOf, type ShellWord } from './shell-word.ts'

/** `A=1 rm -rf "$HOME" > log` has an assignment, the words `rm`, `-rf`, HOME_MARK and the output `log`. */
export interface ShellCommand {
  /** None: only assignments or redirections, of this command or of a compound one. */
  readonly words: readonly ShellWord[]
  readonly assignments: readonly ShellAssignment[]
  /** Targets of `>`, `>>`, `&>` and the like. */
  readonly outputs: readonly ShellWord[]
  /** What here-documents and here-strings feed to its standard input. */
  readonly inputs: readonly ShellWord[]
  /** Files and descriptors that it reads, and what is fed to other descriptors than its standard input. */
  readonly otherInputs: readonly ShellWord[]
  /** Its standard input is what something else of the line says. */
  readonly isPiped: boolean
}

/** `NAME=value`, also of an array. */
export interface ShellAssignment {
  readonly name: string
  /** One, or the elements of an array. */
  readonly values: readonly ShellWord[]
}

/** All commands of a line, in the order of the text, those inside others included. */
export interface ShellScript {
  readonly commands: readonly ShellCommand[]
  /** Names of functions that start themselves without end. */
  readonly forkBombs: readonly string[]
  /** It is too deep or too complex to be read: there may be more than `commands`. */
  readonly isTooDeep: boolean
  /** Why there may be more than `commands`: half a sentence; null: this is all. */
  readonly problem: string | null
}

/** Each level of substitutions is read anew from where it begins. */
const MAX_DEPTH = 16
/** Twice what a plan's longest command has, when it is one that people would write. */
const MAX_NODES = 20_000
/** Reading the text between a here-document's operator and its body takes time for each of the others on the line. */
const MAX_HERE_DOCUMENTS = 500
/** How often it reads on behind what fits no syntax. */
const MAX_RESTS = 3

/** Runs nothing. With a `problem` the caller must judge the line as if anything could be in it. */
export function readShell(text: string): ShellScript {
  const walk: Walk = {
    text,
    nodeCount: 0,
    commands: [],
    forkBombs: [],
    literals: [],
    rests: [],
    isTooDeep: false,
    problem: null,
  }
  if (text.split('<<', MAX_HERE_DOCUMENTS + 2).length > MAX_HERE_DOCUMENTS + 1) return tooDeep(walk)
  try {
    walkTree(walk, parse(text))
    for (let read = 0; read < MAX_RESTS; read += 1) {
      const rest = walk.rests.shift()
      if (rest === undefined) break
      walk.text = rest
      walkTree(walk, parse(rest))
    }
    readLiterals(walk)
  } catch (error) {
    // Its parser recurses: the stack is what bounds the depth of some texts.
    if (error instanceof RangeError) return tooDeep(walk)
    throw error
  }
  const { commands, forkBombs, isTooDeep, problem } = walk
  return isTooDeep ? tooDeep(walk) : { commands, forkBombs, isTooDeep, problem }
}

/** Also those that stand in others. */
function readLiterals(walk: Walk): void {
  const { problem } = walk
  const seen = new Set<string>()
  for (let read = 0; read < MAX_RESTS; read += 1) {
    for (const literal of walk.literals.splice(0)) {
      if (!seen.has(literal)) walkTree(walk, asHereDocument(literal))
      seen.add(literal)
    }
  }
  // A quoted text that has no syntax is no command either.
  walk.problem = problem
  if (walk.literals.some((literal) => !seen.has(literal)))
    walk.problem ??= 'what is run stands in quoted texts too deeply to be read'
}

function tooDeep({ commands, forkBombs }: Walk): ShellScript {
  return { commands, forkBombs, isTooDeep: true, problem: 'its commands stand in each other too deeply to be read' }
}

interface Walk {
  /** What is being read. */
  text: string
  nodeCount: number
  readonly commands: ShellCommand[]
  readonly forkBombs: string[]
  /** Quoted texts in which bash may substitute something later. */
  readonly literals: string[]
  /** What stands behind a word that fits no syntax (`then rm x`). */
  readonly rests: string[]
  isTooDeep: boolean
  problem: string | null
}

/** In the order of the text. With a stack of its own: texts nest deeper than functions can call each other. */
function walkTree(walk: Walk, root: SyntaxNode): void {
  const open: OpenNode[] = [{ node: root, depth: 0, isPiped: false, quotesHold: true }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth, isPiped, quotesHold } = next
    visit(walk, next)
    walk.nodeCount += 1
    const isSubstitution = SUBSTITUTIONS.has(node.type)
    if ((isSubstitution && depth >= MAX_DEPTH) || walk.nodeCount > MAX_NODES) {
      walk.isTooDeep = true
      return
    }
    const children: SyntaxNode[] = []
    forEachChild(node, (child) => children.push(child))
    const isFed =
      isPiped || (node.type === 'Redirected' && node.redirects.some(({ operator }) => operator.startsWith('<')))
    for (const child of children.toReversed()) {
      const isBehind = node.type === 'Pipeline' && child !== node.commands[0]
      open.push({
        node: child,
        depth: depth + (isSubstitution ? 1 : 0),
        isPiped: isFed || isBehind,
        quotesHold: holdsQuotes(node, child, quotesHold),
      })
    }
  }
}

interface OpenNode {
  readonly node: SyntaxNode
  /** How many substitutions it stands in. */
  readonly depth: number
  readonly isPiped: boolean
  /** Single quotes quote here. */
  readonly quotesHold: boolean
}

/**
 * In arithmetic, in subscripts and in what a here-document expands bash substitutes also between single quotes:
 * `echo $(( '$(rm x)' ))`. `before`: whether they hold around the node itself.
 */
function holdsQuotes(node: SyntaxNode, child: SyntaxNode, before: boolean): boolean {
  switch (node.type) {
    case 'Script':
      return true
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
    case 'HereDocBody':
    case 'Slice':
      return false
    case 'ArithmeticFor':
      return child.type === 'CompoundList'
    case 'Assignment':
    case 'ParameterExpansion':
      return before && child !== node.index
    case 'ArrayValue':
      return before && !(child.type === 'Word' && child.text.startsWith('['))
    default:
      return before
  }
}

const SUBSTITUTIONS: ReadonlySet<SyntaxNode['type']> = new Set([
  'CommandExpansion',
  'ProcessSubstitution',
  'ArithmeticCommandExpansion',
  'ArithmeticExpansion',
  'ParameterExpansion',
])

function visit(walk: Walk, { node, isPiped, quotesHold }: OpenNode): void {
  switch (node.type) {
    case 'Script':
      return addProblem(walk, node)
    case 'Command':
      return addCommand(walk, node, isPiped)
    case 'Redirected':
      return void walk.commands.push({ words: [], assignments: [], isPiped, ...readRedirections(node.redirects) })
    case 'Word':
      return addWord(walk, readWord(node).text)
    case 'Assignment':
      return addWord(walk, node.name)
    case 'ParameterExpansion':
      return addWord(walk, node.parameter)
    case 'HereDocBody':
      // Line by line: what is mostly a file's text has brackets that nothing closes.
      return node.text.split('\n').forEach((line) => addSubscripts(walk, line))
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return quotesHold ? undefined : addUnheld(walk, node.value)
    case 'TestCommand':
      return void walk.commands.push({ ...NO_INPUT, words: [wordOf('[[')], assignments: [] })
    case 'ArithmeticCommand':
      return void walk.commands.push({ ...NO_INPUT, words: [wordOf('((')], assignments: [] })
    case 'Function':
      if (multipliesItself(node)) walk.forkBombs.push(node.name.value)
      return
    case 'Transform':
      if (/P/.test(node.operand.text)) walk.problem ??= '"${…@P}" runs what stands in a variable'
      return
    default:
  }
}

function addProblem(walk: Walk, script: ParsedScript): void {
  const [first] = script.errors ?? []
  if (first === undefined) return
  walk.problem ??= `its syntax cannot be read (${first.message})`
  const stop = script.errors?.find(({ message }) => message.startsWith('unexpected token'))
  if (stop !== undefined) walk.rests.push((script.source ?? walk.text).slice(stop.pos).replace(/^\s*(?:\w+|\W)/, ''))
}

const NO_INPUT = { outputs: [], inputs: [], otherInputs: [], isPiped: false }

function addCommand(walk: Walk, command: Command, isPiped: boolean): void {
  const name = command.name === undefined ? [] : [readWord(command.name)]
  const args = command.args.map((arg) => (arg.type === 'Word' ? readWord(arg) : readAssignmentWord(arg)))
  const assignments = command.prefix.filter((item) => item.type === 'Assignment').map(readAssignment)
  walk.commands.push({ words: [...name, ...args], assignments, isPiped, ...readRedirections(command.redirects) })
  for (const { name, values } of assignments) if (PROMPT.test(name)) addPrompt(walk, values)
  for (const arg of args) if (PROMPT.test(arg.text)) addPrompt(walk, arg.text.includes('=') ? [arg] : [])
}

/** What bash expands before it shows it; PS4 with each command of a traced script. */
const PROMPT = /^PS\d(?:$|\+?=)/

/** No values: what the variable gets is not in the line. */
function addPrompt(walk: Walk, values: readonly ShellWord[]): void {
  if (values.length === 0 || values.some(({ isKnown }) => !isKnown))
    walk.problem ??= 'a prompt may run what stands in it'
  walk.literals.push(...values.map(({ text }) => text))
}

function readAssignment({ name, value }: Assignment): ShellAssignment {
  return { name, values: (value.type === 'Word' ? [value] : value.elements).map(readWord) }
}

function readRedirections(redirects: readonly Redirection[]): Pick<ShellCommand, 'outputs' | 'inputs' | 'otherInputs'> {
  const outputs: ShellWord[] = []
  const inputs: ShellWord[] = []
  const otherInputs: ShellWord[] = []
  for (const redirect of redirects) {
    const { descriptor } = redirect
    const isStandardInput = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0)
    if (redirect.type === 'Redirect') {
      const target = redirect.target === undefined ? wordOf('') : readWord(redirect.target)
      ;(redirect.operator.startsWith('<') ? otherInputs : outputs).push(target)
      if (redirect.operator === '<>') outputs.push(target)
    } else {
      const text = redirect.type === 'HereDoc' ? readHereDocument(redirect.body) : readHereString(redirect.target)
      ;(isStandardInput ? inputs : otherInputs).push(text)
    }
  }
  return { outputs, inputs, otherInputs }
}

function readHereString(target: Parameters<typeof readWord>[0] | undefined): ShellWord {
  return target === undefined ? wordOf('') : readWord(target)
}

/** Of a text between single quotes that quote nothing where it stands. */
function addUnheld(walk: Walk, text: string): void {
  if (!/\$\(|`|\$\{[\s|]/.test(text)) return
  walk.problem ??= 'what stands between quotes in arithmetic, a subscript or a here-document is run all the same'
  walk.literals.push(text)
}

/** What gives a program another name, however it is set: `declare BASH_CMDS[ls]=/bin/rm; ls x`. */
const RENAMES = /BASH_(?:CMDS|ALIASES)/

function addWord(walk: Walk, text: string): void {
  if (RENAMES.test(text)) walk.problem ??= 'its programs may have other names'
  addSubscripts(walk, text)
}

/**
 * Bash evaluates the subscripts of arrays wherever it wants a number or a name, and the text may come there through any
 * variable: `x='a[$(rm y)]'; echo $((x))`.
 */
function addSubscripts(walk: Walk, text: string): void {
  if (substitutesInSubscript(text)) walk.literals.push(text)
}

/** Subscripts stand in each other: `a[b[0]+$(rm y)]`. */
function substitutesInSubscript(text: string): boolean {
  let depth = 0
  for (const { 0: found, index } of text.matchAll(/[[\]`]|\$\(/g)) {
    if (found === ']') depth = Math.max(0, depth - 1)
    else if (found !== '[') {
      if (depth > 0) return true
    } else if (depth > 0 || /\w/.test(text.charAt(index - 1))) depth += 1
  }
  return false
}

/** As bash substitutes in it. Without backslashes: whatever evaluates the text later may have taken them away. */
function asHereDocument(text: string): SyntaxNode {
  const body = text.replaceAll('\\', '')
  const longestLine = body.split('\n').reduce((longest, line) => Math.max(longest, line.length), 0)
  const delimiter = 'E'.repeat(longestLine + 1)
  const script = parse(`: <<${delimiter}\n${body}\n${delimiter}`)
  const [statement] = script.commands
  return statement?.command.type === 'Command' ? (statement.command.redirects[0] ?? script) : script
}

/**
 * Whether it calls itself into the background or into a pipe to itself, as in `:(){ :|:& };:`. Two functions that call
 * each other are left to the limit on processes.
 */
function multipliesItself({ name, body }: FunctionNode): boolean {
  const open: SyntaxNode[] = [body]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'Statement' && node.background === true && callsOf(node.command).includes(name.value)) return true
    if (node.type === 'Pipeline') {
      const names = callsOf(node)
      if (names.some((called, index) => called === name.value && names[index + 1] === called)) return true
    }
    if (!isWord(node)) forEachChild(node, (child) => open.push(child))
  }
  return false
}

/** What is substituted in words is left out: to read it takes time for each function around it. */
function isWord({ type }: SyntaxNode): boolean {
  return type === 'Word' || type === 'Assignment' || type.startsWith('Here') || type.startsWith('Arithmetic')
}

/** The programs that a command line starts side by side, or one after another, by name. */
function callsOf(node: SyntaxNode): readonly string[] {
  if (node.type === 'Command') return [node.name?.value ?? '']
  return node.type === 'Pipeline' || node.type === 'AndOr' ? node.commands.flatMap(callsOf) : []
}
