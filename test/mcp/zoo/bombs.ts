/** Schemas that are bombs. */
import { serve, tool } from './speak.ts'

const deep = (levels: number): object => (levels === 0 ? {} : { type: 'object', properties: { a: deep(levels - 1) } })
const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, number) => [`p${number}`, { type: 'string' }]))
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, number) => {
    const next = { $ref: `#/$defs/d${number + 1}` }
    return [`d${number}`, number === 39 ? { type: 'string' } : { anyOf: [next, next] }]
  }),
)
const of = (more: object): object => ({ inputSchema: { type: 'object', ...more } })
const again = { properties: { child: { $ref: '#' } } }
const circle = {
  $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
  properties: { x: { $ref: '#/$defs/a' } },
}
serve({
  'tools/list': () => ({
    tools: [
      tool('deep', of({ properties: { a: deep(1000) } })),
      tool('wide', of({ properties: wide })),
      tool('long', of({ description: 'x'.repeat(100_000) })),
      tool('again', of(again)),
      tool('circle', of(circle)),
      tool('doubling', of({ $defs: doubling, properties: { x: { $ref: '#/$defs/d0' } } })),
      tool('outside', of({ properties: { x: { $ref: 'file:///etc/passwd' } } })),
      tool('list', { inputSchema: { type: 'array' } }),
      tool('none', { inputSchema: undefined }),
      tool('pattern', of({ properties: { pattern: { type: 'string', pattern: '^(a+)+$' } } })),
    ],
  }),
})
