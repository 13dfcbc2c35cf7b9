/** The client of `[mcp.<name>]` under the protocol's conformance checks: `<url>`. Calls what tools it finds. */
import { AddressGuard } from '../../src/delivery/address-guard.ts'
import { McpServer } from '../../src/mcp/mcp-server.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'

const url = process.argv.at(-1) ?? ''
const server = new McpServer({
  server: {
    name: 'judge',
    reach: { kind: 'URL', url, bearer: null, allowPrivate: true },
    timeoutMs: 10_000,
    enabled: true,
  },
  home: '/',
  programs: { start: () => Promise.reject(new Error('no programs here')) },
  keys: { apiKey: () => null },
  guard: new AddressGuard({ rules: () => ({ webhookRequireHttps: true, webhookAllowList: [] }) }),
  clock: systemClock,
  logger: createLogger({ level: 'warn', pretty: false }),
  redact: (line) => line,
})
server.start()
while (server.problem() !== null) await systemClock.sleep(10)
for (const tool of server.tools())
  await tool.run({
    args: { a: 5, b: 3 },
    sessionId: 'judge',
    turnId: 'turn',
    taskId: 'task',
    user: { name: 'judge', role: 'ADMIN' },
    onProgress: () => undefined,
    signal: new AbortController().signal,
    timeoutMs: 10_000,
  })
await server.stop()
