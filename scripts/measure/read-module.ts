/** What one TypeScript file holds, counted on its syntax tree. */
import { parseSync, type Comment, type MethodDefinition, type Node } from 'oxc-parser'
import { dirname, join, normalize } from 'node:path'

export interface ModuleFacts {
  readonly path: string
  readonly lines: number
  /** Lines of each function, in the order of the file. */
  readonly functionLengths: readonly number[]
  /** `x as T` apart from `as const`, `any` and `x!`. */
  readonly casts: number
  readonly anys: number
  readonly assertions: number
  /** Files of the project that it imports, types included, as paths from the root. */
  readonly imports: readonly string[]
  /** What it exports, and whether a comment stands before it. */
  readonly exported: readonly { readonly name: string; readonly documented: boolean }[]
  /** Calls of `test` and `test.each(…)`. */
  readonly tests: number
  readonly longLines: number
}

export const MAX_COLUMNS = 120

export function readModule(path: string, text: string): ModuleFacts {
  const { program, comments, module } = parseSync(path, text)
  const nodes = [...nodesOf(program)]
  const count = (matches: (node: Node) => boolean): number => nodes.filter(matches).length
  const sources = [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries)]
    .map(({ moduleRequest }) => moduleRequest?.value ?? '')
    .filter((name) => name.startsWith('.'))
  return {
    path,
    lines: text.split('\n').length - 1,
    functionLengths: nodes.filter(isFunction).map((node) => text.slice(node.start, node.end).split('\n').length),
    casts: count((node) => node.type === 'TSAsExpression' && !isConstAssertion(node)),
    anys: count((node) => node.type === 'TSAnyKeyword'),
    assertions: count((node) => node.type === 'TSNonNullExpression'),
    imports: [...new Set(sources.map((name) => normalize(join(dirname(path), name))))],
    exported: withoutOverloads(program.body.flatMap((statement) => exportsOf(statement, text, comments))),
    tests: count((node) => node.type === 'CallExpression' && isTest(node.callee)),
    longLines: longLinesOf(text, [...nodes.filter(isUnbreakable), ...leftAsWritten(nodes, comments)]),
  }
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item)
  else if (typeof value === 'object' && value !== null) {
    if (isNode(value)) yield value
    for (const item of Object.values(value)) yield* nodesOf(item)
  }
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string' && 'start' in value
}

function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

function isConstAssertion(node: Extract<Node, { type: 'TSAsExpression' }>): boolean {
  const type = node.typeAnnotation
  return type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const'
}

function isTest(callee: Node): boolean {
  if (callee.type === 'Identifier') return callee.name === 'test' || callee.name === 'it'
  if (callee.type === 'CallExpression') return isTest(callee.callee)
  return callee.type === 'MemberExpression' && isTest(callee.object)
}

/** What a statement exports, and the public methods of a class that it exports. */
function exportsOf(statement: Node, text: string, comments: readonly Comment[]): ModuleFacts['exported'] {
  if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return []
  const { declaration } = statement
  const entry = (name: string, node: Node) => ({ name, documented: hasComment(node, text, comments) })
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return [entry(declaration.id?.name ?? 'default', statement)]
    case 'VariableDeclaration':
      return declaration.declarations.map(({ id }) => entry(text.slice(id.start, id.end), statement))
    case 'ClassDeclaration': {
      const name = declaration.id?.name ?? 'default'
      const members = declaration.body.body.filter(isPublicMethod)
      return [entry(name, statement), ...members.map((member) => entry(`${name}.${keyOf(member, text)}`, member))]
    }
    default:
      return []
  }
}

/** Of a function with several signatures the comment stands before the first. */
function withoutOverloads(exported: ModuleFacts['exported']): ModuleFacts['exported'] {
  const byName = Map.groupBy(exported, ({ name }) => name)
  return [...byName].map(([name, ofName]) => ({ name, documented: ofName.some(({ documented }) => documented) }))
}

function isPublicMethod(member: Node): member is MethodDefinition {
  if (member.type !== 'MethodDefinition' || member.kind === 'constructor') return false
  return member.key.type !== 'PrivateIdentifier' && member.accessibility !== 'private'
}

function keyOf({ key }: MethodDefinition, text: string): string {
  return text.slice(key.start, key.end)
}

/**
 * Whether nothing but blanks stands between a block comment and the node. The comment of a file counts for what stands
 * first.
 */
function hasComment(node: Node, text: string, comments: readonly Comment[]): boolean {
  return comments.some(({ type, end }) => type === 'Block' && end <= node.start && !text.slice(end, node.start).trim())
}

/** A formatter breaks no literal, and puts one of this length on a line with what must stand beside it. */
const UNBREAKABLE_CHARS = 60

function isUnbreakable({ type, start, end }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && end - start >= UNBREAKABLE_CHARS)
}

/** What stands behind a comment that keeps the formatter away, such as a table in columns. */
function leftAsWritten(nodes: readonly Node[], comments: readonly Comment[]): Node[] {
  return comments
    .filter(({ value }) => value.trim() === 'prettier-ignore')
    .flatMap((comment) => nodes.find(({ start }) => start >= comment.end) ?? [])
}

/** Lines that are too long, apart from those of which a part is excused: templates hold SQL, documents and programs. */
function longLinesOf(text: string, excused: readonly Pick<Node, 'start' | 'end'>[]): number {
  let start = 0
  let long = 0
  for (const line of text.split('\n')) {
    const end = start + line.length
    if (line.length > MAX_COLUMNS && !excused.some((node) => node.start < end && node.end > start)) long += 1
    start = end + 1
  }
  return long
}
