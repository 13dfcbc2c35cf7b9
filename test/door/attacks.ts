/**
 * Operations that a hostile client with a valid token may send, with the code each must be answered with (null:
 * harmless).
 */
export interface Attack {
  readonly name: string
  readonly query: string
  /** As JSON text: JSON.stringify itself fails on some of them. */
  readonly variables?: string
  readonly operationName?: string
  readonly code: string | null
}

function repeat(count: number, piece: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => piece(n)).join(' ')
}

function nested(depth: number, [open, inner, close]: readonly [string, string, string]): string {
  return open.repeat(depth) + inner + close.repeat(depth)
}

/** Each fragment spreads the next twice: 2^16 fields from a few hundred bytes. */
const FRAGMENT_BOMB = `{ session(id: "x") { ...F0 } } ${repeat(16, (n) => `fragment F${n} on Session { ...F${n + 1} ...F${n + 1} }`)}
  fragment F16 on Session { turns { edges { node { id } } } }`

const SESSION_LOOP = 'edges { node { session { turns(first: 5) { '

export const ATTACKS: readonly Attack[] = [
  {
    name: '100 × 100 × 100 objects',
    query: `{ sessions(first: 100) { edges { node { turns(first: 100) { edges { node { session { messages(first: 100) { edges { node { id content } } } } } } } } } } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  {
    name: 'page sizes from variables',
    query: `query($n: Int) { sessions(first: $n) { edges { node { messages(first: $n) { edges { node { id } } } } } } }`,
    variables: '{"n":100}',
    code: 'QUERY_TOO_COMPLEX',
  },
  { name: '1000 aliases', query: `{ ${repeat(1000, (n) => `a${n}: __typename`)} }`, code: 'QUERY_TOO_COMPLEX' },
  { name: '60 aliases', query: `{ viewer { ${repeat(60, (n) => `a${n}: tokenName`)} } }`, code: 'QUERY_TOO_COMPLEX' },
  { name: '21 root fields', query: `{ ${repeat(21, (n) => `a${n}: viewer { role }`)} }`, code: 'QUERY_TOO_COMPLEX' },
  {
    name: '21 mutations in one request',
    query: `mutation { ${repeat(21, (n) => `a${n}: deleteSession(input: { id: "${n}" }) { __typename }`)} }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  { name: 'a fragment bomb', query: FRAGMENT_BOMB, code: 'QUERY_TOO_COMPLEX' },
  {
    name: 'fragments in a circle',
    query: '{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'a fragment in itself, through fields',
    query: '{ session(id: "x") { ...A } } fragment A on Session { turns { edges { node { session { ...A } } } } }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'depth',
    query: `{ sessions(first: 1) { ${nested(4, [SESSION_LOOP, 'edges { cursor }', ' } } } }'])} } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  { name: 'a selection 5000 deep', query: nested(5000, ['{a', '{b}', '}']), code: 'QUERY_TOO_COMPLEX' },
  {
    name: 'a list 5000 deep',
    query: `{ session(id: ${nested(5000, ['[', '', ']'])}) { id } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  { name: 'inline fragments 240 deep', query: `{ viewer { ${nested(240, ['... { ', 'role', ' }'])} } }`, code: null },
  {
    name: '30 directives',
    query: `{ viewer ${repeat(30, () => '@include(if: true)')} { role } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  { name: 'a document of 17 KiB', query: `{ viewer { role } } #${'x'.repeat(17 * 1024)}`, code: 'QUERY_TOO_COMPLEX' },
  {
    name: 'the same field 900 times',
    query: `{ viewer { ${repeat(900, () => 'role')} } }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'introspection of introspection, of all types',
    query: `{ __schema { types { ${nested(5, ['fields { type { ', 'name', ' } }'])} } } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  {
    name: 'introspection of introspection, of a type so small that it costs little',
    query: `{ __type(name: "PageInfo") { ${nested(5, ['fields { type { ', 'name', ' } }'])} } }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: '200 unknown fields',
    query: `{ viewer { ${repeat(200, (n) => `nope${n}`)} } }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: '200 unused variables',
    query: `query(${repeat(200, (n) => `$v${n}: Int`)}) { viewer { role } }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'variables 20 000 deep',
    query: 'query($m: JSON) { viewer { role } }',
    variables: `{"m":${nested(20_000, ['[', '', ']'])}}`,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'a __proto__ in variables',
    query: 'mutation($m: JSON) { openSession(input: { id: "attack:proto", metadata: $m }) { __typename } }',
    variables: '{"m":{"__proto__":{"admin":true}}}',
    code: null,
  },
  { name: 'a page of 2^31 - 1', query: '{ sessions(first: 2147483647) { edges { cursor } } }', code: 'BAD_USER_INPUT' },
  { name: 'a page of minus one', query: '{ sessions(first: -1) { edges { cursor } } }', code: 'BAD_USER_INPUT' },
  {
    name: 'a number beyond Int',
    query: '{ sessions(first: 99999999999) { edges { cursor } } }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  { name: 'a cursor that is none', query: '{ sessions(after: "AAAA") { edges { cursor } } }', code: 'BAD_USER_INPUT' },
  { name: '@defer', query: '{ viewer { ... @defer { role } } }', code: 'GRAPHQL_VALIDATION_FAILED' },
  {
    name: 'two root fields in one subscription',
    query: 'subscription { a: sessionUpdates { session { id } } b: sessionUpdates { session { id } } }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  { name: 'introspection as a subscription', query: 'subscription { __typename }', code: 'GRAPHQL_VALIDATION_FAILED' },
  {
    name: 'an operation that is not there',
    query: 'query A { viewer { role } } query B { viewer { role } }',
    operationName: 'C',
    code: 'BAD_USER_INPUT',
  },
  { name: 'no operation at all', query: 'fragment A on Viewer { role }', code: 'BAD_USER_INPUT' },
  { name: 'garbage', query: '{{{{"\u0000', code: 'GRAPHQL_PARSE_FAILED' },
  { name: 'half a surrogate in an id', query: '{ session(id: "\ud800") { id } }', code: 'GRAPHQL_PARSE_FAILED' },
]
