import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
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

describe('what callers, providers and programs have written', () => {
  const HOSTILE = 'a\u001b[31mb\u009b2Kc\rd\u202ee\\u001b'
  test.each([true, false])('changes nothing on a terminal; pretty: %s', (pretty) => {
    const logger = fileURLToPath(new URL('logger.ts', import.meta.url))
    const text = JSON.stringify(HOSTILE)
    const script = `import { createLogger } from ${JSON.stringify(logger)}
      createLogger({ level: 'info', pretty: ${pretty} }).warn({ text: ${text}, err: new Error(${text}) }, ${text})`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    })
    expect(stdout).toMatch(/e\\{1,2}u001b/)
    for (const sign of ['\u001b[31mb', '\u009b', '\r', '\u202e']) expect(stdout).not.toContain(sign)
  })
})

describe('lines that are written some at a time', () => {
  /** What a process that logs five lines, and then does this, has left on its stdout. */
  function written(then: string): string[] {
    const logger = fileURLToPath(new URL('logger.ts', import.meta.url))
    const script = `import { createLogger } from ${JSON.stringify(logger)}
      const logger = createLogger({ level: 'info', pretty: false, batched: true })
      for (let n = 0; n < 5; n += 1) logger.info({ n }, 'a turn begins')
      ${then}`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      encoding: 'utf8',
    })
    return stdout.split('\n').slice(0, -1)
  }
  const KILL = `process.kill(process.pid, 'SIGKILL')`

  test.each([
    ['it exits', 'process.exit(3)', 5],
    ['it has nothing more to do', '', 5],
    ['an error of level "fatal" ends it', `logger.fatal('a bug'); ${KILL}`, 6],
    ['it is killed behind a warning', `logger.warn('poll failed; retrying'); ${KILL}`, 6],
    ['it is killed later', `setTimeout(() => ${KILL}, 1000)`, 5],
    ['it is killed at once', KILL, 0],
  ])('are there when %s', (_, then, lines) => {
    expect(written(then)).toHaveLength(lines)
  })
})
