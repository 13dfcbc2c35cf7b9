/**
 * The command host: a small process from which all commands of a server start. Started by `command-host.ts`, never by
 * hand.
 *
 * Why a process of its own: starting a process copies the page tables of the one that starts it. From a server of 200
 * MB that blocks every request for 4 to 8 ms, from here it takes 1 ms and blocks none. It also holds none of the
 * server's secrets, and it outlives a killed server just long enough to end what was running.
 */
import { messageOf } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import { systemClock } from '../../platform/clock.ts'
import { must } from '../../platform/must.ts'
import { CommandPermit, PERMIT_ENDED } from './command-permit.ts'
import type { CommandRequest, HostAnswer, HostOutcome, HostRequest, HostSettings } from './host-messages.ts'
import { HostRunner } from './host-runner.ts'
import { OutputBatch } from '../output/output-batch.ts'

/** Killed commands are gone in milliseconds; a longer wait is for something that will not come. */
const MAX_SHUTDOWN_MS = 8_000

const settings = JSON.parse(must(process.argv[2], 'the settings are the first argument')) as HostSettings
const runner = new HostRunner({
  settings,
  clock: systemClock,
  onProblem: (message) => send({ type: 'PROBLEM', message }),
  onMeasured: (sessionId, bytes) => send({ type: 'MEASURED', sessionId, bytes }),
})
const permit = new CommandPermit(systemClock)
const cancels = new Map<number, AbortController>()
const openRequests = new Set<Promise<void>>()

process.on('message', (request: HostRequest) => {
  if (request.type === 'PING') return send({ type: 'PONG', id: request.id })
  if (request.type === 'ALLOW') return permit.renew(request.untilMs)
  if (request.type === 'CANCEL') return cancels.get(request.id)?.abort()
  if (request.type === 'PREPARE') return runner.prepare(request)
  const work = carryOut(request).finally(() => openRequests.delete(work))
  openRequests.add(work)
})
process.on('disconnect', () => void endEverything())
// A Ctrl-C or a supervisor's SIGTERM is for the server: it drains, and then closes the channel.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

/** Full, read-only, failing, or no folder any more where one was. */
const OF_DISK = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ENOTDIR', 'WORKSPACE_UNUSABLE']

async function carryOut(
  request: Exclude<HostRequest, { type: 'PING' | 'ALLOW' | 'CANCEL' | 'PREPARE' }>,
): Promise<void> {
  const { id } = request
  try {
    if (request.type === 'RUN') return await runCommand(id, request.request)
    if (request.type === 'PROBE') return send({ type: 'PROBED', id, sandbox: await runner.probe() })
    if (request.type === 'AWAIT_IDLE') await permit.idle()
    else await runner.saveOutput(request)
    send({ type: 'DONE', id })
  } catch (error) {
    send({ type: 'FAILED', id, message: messageOf(error), ofDisk: hasCode(error, ...OF_DISK) })
  }
}

async function runCommand(id: number, request: CommandRequest): Promise<void> {
  const cancel = new AbortController()
  cancels.set(id, cancel)
  const hasEnded = permit.watch(cancel)
  const batch = new OutputBatch(systemClock, (pieces) => send({ type: 'OUTPUT', id, pieces }))
  try {
    const outcome = await runIfAllowed(request, cancel.signal, batch)
    batch.flush()
    send({ type: 'OUTCOME', id, outcome })
  } finally {
    cancels.delete(id)
    hasEnded()
  }
}

async function runIfAllowed(request: CommandRequest, signal: AbortSignal, batch: OutputBatch): Promise<HostOutcome> {
  if (signal.reason === PERMIT_ENDED) return { kind: 'not-allowed' }
  const outcome = await runner.run(request, {
    signal,
    onOutput: (stream, text) => batch.add(stream, text),
    mayBegin: () => permit.enforce(),
  })
  const wasCancelled = outcome.kind === 'killed' && outcome.cause === 'cancelled'
  return wasCancelled && signal.reason === PERMIT_ENDED ? { kind: 'not-allowed' } : outcome
}

/** The server has closed the channel, or has died: nothing of it may go on. */
async function endEverything(): Promise<void> {
  for (const cancel of cancels.values()) cancel.abort()
  const ended = Promise.all(openRequests).then(() => runner.close())
  await Promise.race([ended, systemClock.sleep(MAX_SHUTDOWN_MS)])
  process.exit()
}

/** An answer that does not arrive has lost its reader: "disconnect" follows and ends this process. */
function send(message: HostAnswer): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {})
}
