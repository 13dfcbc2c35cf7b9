/** The protocol's own conformance checks of clients, as far as they apply: of those for OAuth none does. */
import { expect, test } from 'vitest'
import { conform } from '../harness/conformance.ts'

test.each(['initialize', 'tools_call', 'sse-retry'])('%s', { concurrent: true }, async (scenario) => {
  const command = 'node test/mcp/conformance-client-process.ts'
  expect(await conform('client', '--command', command, '--scenario', scenario)).toMatch(/Passed: [1-9].*, 0 failed/)
})
