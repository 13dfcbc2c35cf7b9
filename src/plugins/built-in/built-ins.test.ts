import { expect, test } from 'vitest'
import { isReservedSource } from '../../core/tool/tool-name.ts'
import { systemClock } from '../../platform/clock.ts'
import { builtIns } from './built-ins.ts'

test('no folder, package or MCP server may have the name of a plugin that comes with Factotum', () => {
  const part = { on: () => undefined, off: () => undefined }
  const names = [...builtIns('/nowhere', { delegation: part, mcp: part }, systemClock).keys()]
  expect(names.filter((name) => !isReservedSource(name))).toEqual([])
})
