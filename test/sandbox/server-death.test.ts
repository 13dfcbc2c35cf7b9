/** Whichever dies, the server or the process that starts its commands: no command goes on without them. */
import { readdirSync } from 'node:fs'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { isRunning, readProcess } from '../../src/execution/process/process-tree.ts'
import { createCommandRunner } from '../../src/execution/run-command.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { commandInput } from './command-input.ts'
import { hostOf } from './host-of.ts'
import { findProcesses } from './outside-world.ts'
import { startCommandServer } from './run-command-server.ts'
import { findSandbox, FOREVER_MS, newHome, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()

const WAYS = [
  { role: 'USER', skipped: skipReason(sandbox) },
  { role: 'ADMIN', skipped: skipReason(sandbox) },
  { role: 'ADMIN', bubblewrapPaths: [], skipped: '' },
] as const

/** A command that starts processes of every kind, says so, and does not end. */
function lastingCommand(marker: string): string {
  const lasting = `bash -c 'trap "" TERM HUP INT; exec -a ${marker} sleep 1000'`
  return `${lasting} & (setsid ${lasting} > /dev/null 2>&1 &); sleep 0.1; echo begun; ${lasting}`
}

for (const { skipped, ...way } of WAYS) {
  const name = `${way.role}${'bubblewrapPaths' in way ? ' without bubblewrap' : ''}${skipped}`
  test.skipIf(skipped !== '')(`a command of role ${name} ends with a server that is killed`, async () => {
    const marker = `survivor-${randomHex(6)}`
    const job = { home: newHome(), limits: DEFAULT_COMMAND_LIMITS, timeoutMs: 60_000, concurrency: 3, ...way }
    const commands = Array.from({ length: 3 }, () => lastingCommand(marker))
    const server = startCommandServer({ ...job, commands }, { account: null })
    const begun = new Set<number>()
    for await (const report of server.reports) {
      if (report.type === 'OUTPUT') begun.add(report.index)
      if (begun.size === commands.length) break
    }
    // The last of a command's processes may still be on its way to its name.
    await expect.poll(() => findProcesses(marker).length, { interval: 10 }).toBeGreaterThanOrEqual(9)
    server.process.kill('SIGKILL')
    await expect.poll(() => findProcesses(marker), { interval: 10 }).toEqual([])
  })
}

describe.skipIf(!sandbox.available)(`when the process that starts commands is killed${skipReason(sandbox)}`, () => {
  test('its commands end, their callers are told that nobody knows, and the next one starts a new one', async () => {
    const logger = createLogger({ level: 'silent', pretty: false })
    const service = await createCommandRunner({ home: newHome(), logger, clock: systemClock })
    service.allowUntil(FOREVER_MS)
    const host = must(hostOf(process.pid), 'it is a child of this process')
    const marker = `survivor-${randomHex(6)}`
    const begun = Promise.withResolvers<unknown>()
    const running = service.runner.run(commandInput(lastingCommand(marker), { role: 'USER', onOutput: begun.resolve }))
    await Promise.race([begun.promise, running.then((outcome) => expect.unreachable(JSON.stringify(outcome)))])
    process.kill(host, 'SIGKILL')
    await expect(running).rejects.toMatchObject({ code: 'COMMAND_LOST' })
    await expect.poll(() => findProcesses(marker), { interval: 10 }).toEqual([])
    const again = await service.runner.run(commandInput('echo again', { role: 'USER' }))
    expect(again).toMatchObject({ stdout: 'again\n' })
    await service.stop()
  })

  test('a command that it had not taken yet is given to the next one', async () => {
    const logger = createLogger({ level: 'silent', pretty: false })
    const home = newHome()
    const service = await createCommandRunner({ home, logger, clock: systemClock })
    service.allowUntil(FOREVER_MS)
    const host = must(
      findProcesses(home).find((pid) => readProcess(pid)?.parentPid === process.pid),
      'the host is a child of this process',
    )
    process.kill(host, 'SIGKILL')
    // It is dead with all its threads, and nothing has told this process, which does nothing else meanwhile.
    while (isRunning(host) || readdirSync(`/proc/${host}/task`).length > 1);
    const outcome = await service.runner.run(commandInput('echo begun', { role: 'USER' }))
    expect(outcome).toMatchObject({ kind: 'exited', stdout: 'begun\n' })
    await service.stop()
  })
})

test('a command that is cancelled while a dead host is cleared away has not run, and the next one does', async () => {
  const logger = createLogger({ level: 'silent', pretty: false })
  const home = newHome()
  // Without bubblewrap its commands outlive the host, and ending them takes a moment.
  const service = await createCommandRunner({ home, logger, clock: systemClock, bubblewrapPaths: [] })
  service.allowUntil(FOREVER_MS)
  const host = must(
    findProcesses(home).find((pid) => readProcess(pid)?.parentPid === process.pid),
    'the host is a child of this process',
  )
  const outputs = { entries: [], files: [], isFirstOfTurn: true }
  const input = { sessionId: 'cli:test', taskId: 'task_1', role: 'ADMIN', timeoutMs: 60_000, outputs } as const
  const { signal } = new AbortController()
  const begun = Promise.withResolvers<unknown>()
  const command = lastingCommand(`survivor-${randomHex(6)}`)
  const lost = service.runner.run({ ...input, command, signal, onOutput: begun.resolve }).catch(() => {})
  await begun.promise
  process.kill(host, 'SIGKILL')
  while (service.hostProblem() !== 'it is being replaced') await setImmediate()
  const cancel = new AbortController()
  const cancelled = service.runner.run({ ...input, command: 'touch ran', signal: cancel.signal, onOutput: () => {} })
  cancel.abort()
  expect(await cancelled).toMatchObject({ kind: 'killed', cause: 'cancelled', stdout: '' })
  await lost
  const listed = await service.runner.run({ ...input, command: 'ls', signal, onOutput: () => {} })
  expect(listed).toMatchObject({ kind: 'exited', stdout: '' })
  await service.stop()
})

test('a host whose server has gone away leaves nothing behind', async () => {
  const job = {
    home: newHome(),
    limits: DEFAULT_COMMAND_LIMITS,
    role: 'ADMIN',
    timeoutMs: 60_000,
    concurrency: 1,
  } as const
  const server = startCommandServer({ ...job, commands: ['echo hi'] }, { account: null })
  const kinds: string[] = []
  for await (const report of server.reports) kinds.push(report.type)
  if (server.process.exitCode === null) await once(server.process, 'exit')
  expect(kinds).toEqual(['READY', 'OUTPUT', 'OUTCOME'])
  expect(server.process.exitCode).toBe(0)
  expect(findProcesses(job.home)).toEqual([])
})
