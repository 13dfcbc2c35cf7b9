import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { measureNamespaceMemory } from './process-tree.ts'

test.skipIf(process.platform !== 'linux')('to measure memory holds up nothing else', async () => {
  const order: string[] = []
  const measured = measureNamespaceMemory(process.pid).then(() => order.push('measured'))
  const other = setImmediate().then(() => order.push('other'))
  await Promise.all([measured, other])
  expect(order).toEqual(['other', 'measured'])
})
