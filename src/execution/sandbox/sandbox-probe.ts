/**
 * Proof that the sandbox holds, on this machine, now: one command in the real profile tries to break out, is killed,
 * and must leave nothing. Every check must be answered as expected; silence counts as a failure. Without this proof
 * nothing of role USER runs, and there is no setting to go without.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { assert } from '../../platform/must.ts'
import { closedDirectory } from '../../config/home/unprivileged-account.ts'
import { CommandProcess, type CommandProcessOptions, type ProcessResult } from '../host/command-process.ts'
import { findDropAccount } from './drop-account.ts'
import { probeName, sandboxFolder } from '../host/host-folder.ts'
import { PreparedLaunch } from '../namespace/prepared-launch.ts'
import { findDescendants, isRunning, measureNamespaceMemory, userOfProcess } from '../process/process-tree.ts'
import { installFix, readMachineFacts, repairFix, type MachineFacts } from './sandbox-fix.ts'
import { writeSandboxFiles } from './sandbox-files.ts'
import { planSandboxLaunch, planSandboxOrder, SANDBOX_UID, type SandboxSetup } from './sandbox-profile.ts'
import type { SandboxArchitecture } from './seccomp-rules.ts'
import type { LaunchMeans } from './start-launch.ts'
import { prepareWorkspace, removeWorkspace, sessionsFolder } from '../workspace/workspace.ts'

type ProbeResult =
  | { readonly available: true; readonly setup: SandboxSetup }
  | { readonly available: false; readonly reason: string; readonly fix: string }

interface ProbeOptions extends Pick<CommandProcessOptions, 'limits' | 'clock' | 'onProblem'> {
  readonly means: LaunchMeans
  readonly home: string
  /** Path of bwrap, or null when there is none. */
  readonly bubblewrap: string | null
}

const PROBE_TIMEOUT_MS = 10_000

/** Never rejects: whatever goes wrong is a reason for the sandbox to be unavailable. */
export async function probeSandbox(options: ProbeOptions): Promise<ProbeResult> {
  const facts = readMachineFacts()
  try {
    return await probeOn(facts, options)
  } catch (error) {
    return {
      available: false,
      reason: `The check of the sandbox failed: ${messageOf(error)}.`,
      fix: repairFix(messageOf(error), facts),
    }
  }
}

async function probeOn(facts: MachineFacts, options: ProbeOptions): Promise<ProbeResult> {
  const { home, bubblewrap } = options
  const unavailable = (reason: string, fix: string): ProbeResult => ({ available: false, reason, fix })
  if (facts.platform !== 'linux') return unavailable(`There is no sandbox for ${facts.platform}.`, installFix(facts))
  if (bubblewrap === null) return unavailable('bubblewrap is not installed.', installFix(facts))
  const { arch } = process
  if (arch !== 'x64' && arch !== 'arm64') {
    return unavailable(`There is no system call filter for ${arch}.`, 'Run Factotum on x64 or arm64.')
  }
  const account = findDropAccount()
  const closed = closedDirectory(account, sessionsFolder(home))
  if (closed !== null && account !== null) {
    return unavailable(
      `The account "${account.name}", as which commands run, cannot enter ${closed}.`,
      `Run "chmod o+x ${closed}", or set FACTOTUM_HOME to a directory that everybody may enter.`,
    )
  }
  const setup = { bubblewrap, account, files: writeSandboxFiles(home, arch satisfies SandboxArchitecture) }
  const failure = await tryToBreakOut(setup, options)
  return failure === null ? { available: true, setup } : unavailable(failure, repairFix(failure, facts))
}

/** Null when every attempt failed as it should. */
async function tryToBreakOut(setup: SandboxSetup, options: ProbeOptions): Promise<string | null> {
  const name = probeName(options.home)
  const workspace = join(sessionsFolder(options.home), name)
  const canary = join(sandboxFolder(options.home), name)
  const listener = await listenOnLoopback()
  try {
    await prepareWorkspace(workspace, setup.account)
    writeFileSync(canary, 'canary', { mode: 0o644 })
    const command = breakOutScript(canary, listener.port)
    const attempt = await runAndKill(setup, { ...options, workspace, command })
    return explainAttempt(attempt) ?? (listener.connectionCount() > 0 ? 'A command can reach the network.' : null)
  } finally {
    listener.server.close()
    rmSync(canary, { force: true })
    await removeWorkspace(workspace)
  }
}

/** Each line that the script must print, and what it means when the line is missing. */
const EXPECTED_LINES: readonly (readonly [line: string, meaning: string])[] = [
  ['workspace writable', 'A command cannot write into its workspace.'],
  ['outside hidden', 'A command can read files outside its workspace.'],
  ['network closed', 'A command can reach the network.'],
  [
    'namespaces refused',
    'A command can make user namespaces (or "unshare" of util-linux is missing, so nobody knows).',
  ],
  [`uid ${SANDBOX_UID}`, 'A command does not run as the user that it should.'],
  ['NoNewPrivs: 1', 'A command can gain rights.'],
  ['Seccomp: 2', 'The system call filter is not in force.'],
  ['CapEff: 0000000000000000', 'A command has capabilities.'],
  ['CapBnd: 0000000000000000', 'A command can gain capabilities.'],
  ['files closed', 'A command inherits open files of the server.'],
]
const LAST_LINE = 'waiting'
/** Longer than the check takes at most; should nothing kill the script, it ends by itself. */
const WAIT_SECONDS = 2 * (PROBE_TIMEOUT_MS / 1000)

function breakOutScript(canary: string, port: number): string {
  const quotedCanary = `'${canary.replaceAll("'", String.raw`'\''`)}'`
  return `
echo ok > probe && [ "$(cat probe)" = ok ] && echo workspace writable
[ ! -e ${quotedCanary} ] && ! touch /usr/probe 2>/dev/null && ! touch /probe 2>/dev/null && echo outside hidden
(exec 9<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null || echo network closed
unshare --user true 2>/dev/null; [ $? = 1 ] && echo namespaces refused
echo "uid $(id -u)"
grep -E '^(NoNewPrivs|Seccomp|CapEff|CapBnd):' /proc/self/status | tr '\t' ' '
[ "$(cd /proc/self/fd && echo ?*)" = '0 1 2 3' ] && echo files closed
(setsid bash -c 'echo ${LAST_LINE}; exec sleep ${WAIT_SECONDS}' &)
sleep ${WAIT_SECONDS}`
}

interface Attempt {
  readonly result: ProcessResult
  /** As whom the script ran, seen from outside. */
  readonly user: number | null
  readonly memoryBytes: number
  readonly processCount: number
  readonly survivorCount: number
}

/** Lets the script run until it waits, kills it, and counts what is left. */
async function runAndKill(
  setup: SandboxSetup,
  options: ProbeOptions & { workspace: string; command: string },
): Promise<Attempt> {
  const waiting = Promise.withResolvers<void>()
  let printed = ''
  let initPid = 0
  const input = { ...options, timeoutMs: PROBE_TIMEOUT_MS, mayOnlyShrink: false, skill: null }
  const prepared = await PreparedLaunch.start(planSandboxLaunch(setup, input), options.means)
  const started = new CommandProcess({
    ...options,
    started: prepared.begin(planSandboxOrder(input)),
    timeoutMs: PROBE_TIMEOUT_MS,
    onNamespace: (pid) => (initPid = pid),
    onOutput: (_, text) => {
      printed += text
      if (printed.includes(LAST_LINE)) waiting.resolve()
    },
  })
  await Promise.race([waiting.promise, started.result])
  const pids = initPid === 0 ? [] : [initPid, ...findDescendants(initPid)]
  const [user, memoryBytes] = [userOfProcess(initPid), await measureNamespaceMemory(initPid)]
  started.kill('cancelled')
  const result = await started.result
  return { result, user, memoryBytes, processCount: pids.length, survivorCount: pids.filter(isRunning).length }
}

function explainAttempt({ result, user, memoryBytes, processCount, survivorCount }: Attempt): string | null {
  if (result.kind === 'not-started') return `bubblewrap does not work here: ${result.reason}.`
  if (!result.stdout.includes(LAST_LINE))
    return `The check of the sandbox did not come to its end: ${result.stderr.trim()}`
  const lines = new Set(result.stdout.split('\n'))
  const failed = EXPECTED_LINES.find(([line]) => !lines.has(line))
  if (failed !== undefined) return failed[1]
  if (user === null || user === 0) return 'A command runs as root, or nobody knows as whom.'
  if (memoryBytes === 0) return 'The memory of a command cannot be measured.'
  // The namespace's first process, the script, and the process that left its session.
  if (processCount < 3) return 'The processes of a command cannot be found.'
  return survivorCount > 0 ? 'A command leaves processes behind when it is killed.' : null
}

interface LoopbackListener {
  readonly server: Server
  readonly port: number
  connectionCount(): number
}

async function listenOnLoopback(): Promise<LoopbackListener> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert(address !== null && typeof address === 'object', 'a listening TCP server has an address')
  return { server, port: address.port, connectionCount: () => connections }
}
