import { expect, test } from 'vitest'
import { isReservedSource } from '../core/tool/tool-name.ts'
import { DELEGATE, DELEGATION } from './delegate-tool.ts'
import { isOwnTool, OWN_TOOLS, REMEMBER } from './own-tools.ts'
import { ToolCatalog } from './tool-catalog.ts'
import type { Tool, ToolOrigin, ToolSource } from './tool.ts'

/** A source with one tool, which says where it is from. */
function sourceOf(origin: ToolOrigin, name = 'weather', problem: string | null = null): ToolSource {
  const tool: Tool = { ...DELEGATE, name: `${name}__now`, source: name, description: origin }
  return { name, origin, tools: () => [tool], problem: () => problem }
}

function offered(catalog: ToolCatalog): string[] {
  return [...catalog.snapshot().tools.values()].map(({ name, description }) => `${name} ${description}`)
}

test('of two sources with one name the plugin counts, whichever came first, and the other when it is gone', () => {
  const [plugin, server] = [sourceOf('PLUGIN'), sourceOf('MCP', 'weather', 'It is starting.')]
  for (const order of [
    [plugin, server],
    [server, plugin],
  ]) {
    const catalog = new ToolCatalog()
    for (const source of order) catalog.add(source)
    expect(offered(catalog)).toEqual(['weather__now PLUGIN'])
    expect([...catalog.snapshot().problems]).toEqual([
      ['weather', 'The tools of the MCP server "weather" are not offered while a plugin has its name.'],
    ])
    catalog.remove(plugin)
    expect(offered(catalog)).toEqual(['weather__now MCP'])
    expect([...catalog.snapshot().problems]).toEqual([['weather', 'It is starting.']])
  }
})

test('the order of tools does not follow that in which sources started', () => {
  const catalog = new ToolCatalog()
  for (const source of [sourceOf('MCP', 'b'), sourceOf('MCP', 'a'), sourceOf('PLUGIN', 'c'), DELEGATION])
    catalog.add(source)
  expect([...catalog.snapshot().tools.keys()]).toEqual(['delegation__delegate', 'c__now', 'a__now', 'b__now'])
})

test('what names the tools of the server itself is reserved, and no other source is taken under it', () => {
  for (const { source, name } of [...OWN_TOOLS, DELEGATE]) {
    expect(isReservedSource(source)).toBe(true)
    const catalog = new ToolCatalog()
    for (const origin of ['PLUGIN', 'MCP'] as const)
      expect(() => catalog.add(sourceOf(origin, source))).toThrow(`"${source}" is no name for a source of tools`)
    expect(isOwnTool(catalog.snapshot(), name)).toBe(source !== 'delegation')
  }
})

test('a tool of another source is not the own one of the server, whatever its name, nor is one of its source offered', () => {
  const { name } = REMEMBER
  expect(isOwnTool({ tools: new Map([[name, { ...DELEGATE, name }]]) }, name)).toBe(false)
  const catalog = new ToolCatalog()
  const stray: Tool = { ...DELEGATE, name, source: 'weather' }
  catalog.add({ name: 'weather', origin: 'PLUGIN', tools: () => [stray], problem: () => null })
  expect(offered(catalog)).toEqual([])
})
