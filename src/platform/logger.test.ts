import { expect, test } from 'vitest'
import { LogLines } from './log-lines.ts'
import { createLogger } from './logger.ts'

test('a line of JSON says which process and which node wrote it, also one of a child made before', () => {
  const written: Record<string, unknown>[] = []
  const to = { write: (line: string) => void written.push(JSON.parse(line) as Record<string, unknown>) }
  const lines = new LogLines()
  const logger = createLogger({ level: 'info', pretty: false, lines, to, process: { pid: 42, version: '1.2.3' } })
  const child = logger.child({ sessionId: 'cli:demo' })
  logger.info('starting')
  lines.node = 7
  child.info('poll failed; retrying')
  lines.node = 8
  child.warn({ node: 3 }, 'node evicted')
  expect(written).toEqual([
    { level: 30, time: expect.any(String) as string, pid: 42, version: '1.2.3', msg: 'starting' },
    expect.objectContaining({ pid: 42, sessionId: 'cli:demo', node: 7, msg: 'poll failed; retrying' }),
    expect.objectContaining({ node: 3, msg: 'node evicted' }),
  ])
})
