/**
 * A namespace that runs one command after another: no command can tell it from one of its own, none finds anything of
 * the ones before it, and what nobody uses ends. Real processes, so only where bubblewrap works.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { planAdminLaunch } from '../../src/execution/sandbox/admin-launch.ts'
import type { CommandOutcome } from '../../src/execution/command.ts'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { CommandProcess, type ProcessResult } from '../../src/execution/host/command-process.ts'
import { NamespacePool } from '../../src/execution/namespace/namespace-pool.ts'
import { OutputPipes } from '../../src/execution/output/output-pipes.ts'
import { findDescendants, isRunning, killProcess, readProcess } from '../../src/execution/process/process-tree.ts'
import { createCommandRunner, type CommandRunnerOptions } from '../../src/execution/run-command.ts'
import { startLaunch, type LaunchMeans, type StartedLaunch } from '../../src/execution/sandbox/start-launch.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { hostOf } from './host-of.ts'
import { rounds } from '../harness/rounds.ts'
import { findProcesses } from './outside-world.ts'
import { createTestHome, findSandbox, FOREVER_MS, skipReason } from './sandbox-support.ts'
import { PATIENCE } from '../harness/patience.ts'

const sandbox = await findSandbox()
const BUBBLEWRAP = '/usr/bin/bwrap'
const ROUNDS = rounds(10, 30)

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

function newWorkspace(): string {
  const workspace = createTestHome()
  cleanups.push(() => rmSync(workspace, { recursive: true, force: true }))
  return workspace
}

class Fixture {
  readonly means: LaunchMeans = { pipes: new OutputPipes(newWorkspace()), mark: {}, clock: systemClock }
  readonly problems: string[] = []
  readonly timers: (() => void)[] = []
  readonly pool: NamespacePool

  constructor() {
    const clock: Clock = {
      ...systemClock,
      after: (_, action) => {
        this.timers.push(action)
        return () => {}
      },
    }
    this.pool = new NamespacePool({ ...this.means, clock, onProblem: (message) => this.problems.push(message) })
    cleanups.push(() => this.pool.close())
  }

  passTime(): void {
    for (const fire of this.timers.splice(0)) fire()
  }

  prepare(): void {
    this.pool.prepare(BUBBLEWRAP)
  }

  async begin(command: string, workspace: string): Promise<StartedLaunch> {
    return must(await this.pool.begin({ command, workspace, home: workspace }), 'one has been prepared')
  }

  async run(command: string, workspace: string): Promise<ProcessResult> {
    return finish(await this.begin(command, workspace))
  }

  async runFresh(command: string, workspace: string): Promise<ProcessResult> {
    return finish(await startLaunch(planAdminLaunch({ command, workspace, home: workspace }, BUBBLEWRAP), this.means))
  }
}

function finish(started: StartedLaunch): Promise<ProcessResult> {
  return supervise(started, () => {}).result
}

function supervise(started: StartedLaunch, onOutput: () => void): CommandProcess {
  return new CommandProcess({
    started,
    timeoutMs: 20_000,
    limits: DEFAULT_COMMAND_LIMITS,
    clock: systemClock,
    onOutput,
    onNamespace: () => {},
    onProblem: () => {},
  })
}

/** Processes below this one that keep namespaces. */
function findKept(): readonly number[] {
  const ours = new Set(findDescendants(process.pid))
  return findProcesses('read -r -d').filter((pid) => ours.has(pid))
}

// With words of the shell itself: while it starts another program it looks different from one moment to the next.
const OF_ITSELF =
  'read -r -a stat </proc/$$/stat; echo "${stat[*]:4:4} ${stat[*]:17:3}"; ' +
  // In one piece: its numbers grow from one read to the next, and lines move.
  `IFS= read -r -d '' status </proc/$$/status; while read -r line; do case $line in Sig[BIC]*) echo "$line" ;; esac; done <<<"$status"`
const ALL_THAT_IT_SEES = `echo "$0 $# $- $PWD $(umask)"; env | sort; ulimit -a; set; shopt; trap; alias; ls -l /proc/self/fd | wc -l; flock -n 0; echo $?; ${OF_ITSELF}; cat`
const WHICH_NAMESPACE = 'readlink /proc/self/ns/pid'

describe.skipIf(!sandbox.available)(`a namespace that is kept${skipReason(sandbox)}`, () => {
  test('is for its command what a new one is', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    const fresh = await fixture.runFresh(ALL_THAT_IT_SEES, workspace)
    fixture.prepare()
    const kept = await fixture.run(ALL_THAT_IT_SEES, workspace)
    expect(fresh).toMatchObject({ kind: 'exited', exitCode: 0, stderr: '' })
    expect(withoutVariety(kept)).toEqual(withoutVariety(fresh))
  })

  test('gets its command as it is written', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    fixture.prepare()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (text) => {
        const comment = text.replaceAll(/[\0\n]/g, '').toWellFormed()
        const command = `printf %s "$BASH_EXECUTION_STRING"\n\n#\u0001\u007F\\ \t'"${comment}\n `
        const result = await fixture.run(command, workspace)
        expect(result).toEqual({ kind: 'exited', exitCode: 0, stdout: command, stderr: '', truncated: false })
      }),
      { numRuns: rounds(10, 40) },
    )
  })

  // Each in a namespace of its own, both ways.
  test.each([
    ['', 'nothing'],
    ['# only a comment', 'a comment'],
    ['-x', 'a dash'],
    ['\n\nno-such-program\necho $LINENO', 'an unknown program, in its line'],
    ['echo a; exit 7', 'an exit'],
    ['set -e; false; echo not reached', 'errexit'],
    ['set -u; echo $nothing', 'an unset variable'],
    ['trap "echo bye" EXIT; echo a', 'a trap'],
    ['kill -TERM $$; echo not reached', 'a signal to itself'],
    ['return 3', 'a return'],
    ['false | true; echo ${PIPESTATUS[@]} $? $SHLVL $BASH_SUBSHELL ${#FUNCNAME[@]}', 'what it knows of itself'],
    ['declare -x; declare -F; alias; trap; jobs; shopt', 'what is set'],
    ['true & wait; echo $?; exec echo b', 'jobs and exec'],
    ['cat <<E\n$HOME\nE\necho ~ "$OLDPWD" "$PWD"', 'a document'],
    ['readonly A=1; A=2; echo after', 'an error of the shell'],
    ['exec /no/such/program', 'an exec that fails'],
    ['echo out; echo err >&2; echo named > /dev/stderr; exec >&-; echo lost', 'its output'],
    ['sleep 1000 & kill -TERM -1; wait $!; echo $? cleaned', 'a signal to everybody'],
    ['sleep 1000 & kill -KILL -1; wait $!; echo $? cleaned', 'the end of everybody'],
    ['kill -KILL $PPID; kill -HUP $PPID; sleep 0.1; echo on', 'signals to its parent'],
    ['echo )', 'a syntax error'],
    ['if true; then', 'an end too early'],
    [`echo "abc`, 'an open quote'],
  ])('runs %j as a new one does: %s', async (command) => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    const fresh = await fixture.runFresh(command, workspace)
    fixture.prepare()
    const kept = await fixture.run(command, workspace)
    expect(fresh).toMatchObject({ kind: 'exited' })
    // The one difference: where the shell says a syntax error was found.
    const stderr = 'stderr' in kept ? kept.stderr.replaceAll('/bin/bash: eval: line', '/bin/bash: -c: line') : ''
    expect({ ...kept, stderr }).toEqual(fresh)
  })

  test.each([
    ['export LEFT=1 PATH=/nowhere; readonly HOME; left() { :; }; alias left=x', 'variables, functions and aliases'],
    ['cd /; umask 077; ulimit -n 20; set -eufx; shopt -s nullglob; trap "echo left" EXIT TERM', 'settings'],
    ['exec 7>left 1>&- 2>&-', 'open files'],
    ['kill -TERM $$', 'its end by a signal'],
    ['exec sleep 0', 'another program in its place'],
    ['sleep 0 & sleep 0 | sleep 0; wait', 'children that have ended'],
    ['printf "over 0\\nready\\n" >&5', 'words for the host'],
    ['flock 0', 'a lock on what it reads'],
  ])('shows nothing of a command before: %j, %s', async (command) => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    fixture.prepare()
    const before = await fixture.run(ALL_THAT_IT_SEES, workspace)
    expect(await fixture.run(command, workspace)).toMatchObject({ kind: 'exited' })
    expect(withoutVariety(await fixture.run(ALL_THAT_IT_SEES, workspace))).toEqual(withoutVariety(before))
  })

  test.each([
    ['sleep 1000 >/dev/null 2>&1 &', 'in the background'],
    ['setsid --fork sleep 1000 >/dev/null 2>&1', 'in a session of its own'],
    ['(env -i sleep 1000 &) >/dev/null 2>&1', 'without a parent or an environment'],
    ['(trap "" TERM HUP INT; exec sleep 1000 >/dev/null 2>&1 &) & wait', 'deaf to signals'],
    ['sleep 1000 &', 'holding the output'],
    ['renice -n 7 -g 0', 'only another priority'],
  ])('ends with what a command has left: %j, %s', async (command) => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    fixture.prepare()
    expect(await fixture.run(command, workspace)).toMatchObject({ kind: 'exited' })
    expect(findDescendantsNamed('sleep')).toEqual([])
    expect(await fixture.pool.begin({ command: 'true', workspace, home: workspace })).toBeNull()
    expect(findKept()).toEqual([])
    expect(fixture.problems).toEqual([])
  })

  test('ends with a command that is killed, and not with one that only fails', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    fixture.prepare()
    const names = [
      await fixture.run(WHICH_NAMESPACE, workspace),
      await fixture.run(`${WHICH_NAMESPACE}; false`, workspace),
    ]
    expect(new Set(names.map((result) => 'stdout' in result && result.stdout)).size).toBe(1)
    const started = await fixture.begin('echo began; sleep 1000', workspace)
    const command: CommandProcess = supervise(started, () => command.kill('cancelled'))
    expect(await command.result).toMatchObject({ kind: 'killed', cause: 'cancelled', stdout: 'began\n' })
    expect(await fixture.pool.begin({ command: 'true', workspace, home: workspace })).toBeNull()
    await expect.poll(findKept, { interval: 50 }).toEqual([])
    expect(fixture.problems).toEqual([])
  })

  test('shows nobody what a command has mounted, if it may', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    fixture.prepare()
    const isRoot = process.getuid?.() === 0
    const mounted = await fixture.run('mount -t tmpfs none . && echo found > left && cat left', workspace)
    expect(mounted).toMatchObject({ kind: 'exited', stdout: isRoot ? 'found\n' : '' })
    const next = await fixture.pool.begin({ command: 'ls', workspace, home: workspace })
    const listings = next === null ? [] : [await finish(next)]
    expect(listings.map((result) => 'stdout' in result && result.stdout)).toEqual(isRoot ? [] : [''])
  })

  test('is given to one command at a time, and not for one that it would only slow down', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    expect(await fixture.pool.begin({ command: 'true', workspace, home: workspace })).toBeNull()
    fixture.prepare()
    expect(await fixture.pool.begin({ command: ':'.repeat(10_000), workspace, home: workspace })).toBeNull()
    const first = await fixture.begin('mkfifo fifo; read -r line <fifo; echo $line', workspace)
    expect(await fixture.pool.begin({ command: 'echo twice', workspace, home: workspace })).toBeNull()
    fixture.prepare()
    const second = await fixture.begin(
      'until [[ -p fifo ]]; do sleep 0.01; done; echo from the second >fifo; echo second',
      workspace,
    )
    const results = await Promise.all([finish(first), finish(second)])
    expect(results).toMatchObject([{ stdout: 'from the second\n' }, { stdout: 'second\n' }])
  })

  test('says that nothing ran when the workspace is gone', async () => {
    const fixture = new Fixture()
    fixture.prepare()
    expect(await fixture.run('echo ran', '/there/is/no/such/folder')).toMatchObject({ kind: 'not-started' })
    fixture.prepare()
    expect(await fixture.run('echo ran', newWorkspace())).toMatchObject({ kind: 'exited', stdout: 'ran\n' })
  })

  test.each([
    ['the waiting shell', 'WAITING'],
    ['the keeper', 'KEEPER'],
    ['bubblewrap', 'BUBBLEWRAP'],
  ] as const)('whose %s is killed as a command comes says truly whether it ran', async (_, victim) => {
    const workspace = newWorkspace()
    const untrue: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const fixture = new Fixture()
      fixture.prepare()
      const processes = await untilWaiting()
      const early = round % 2 === 0
      if (early) killProcess(processes[victim])
      const started = await fixture.begin(`echo ${round} >> ran; sleep 1000`, workspace)
      if (!early) killProcess(processes[victim])
      const { kind } = await finish(started)
      await fixture.pool.close()
      const ran = linesOf(join(workspace, 'ran')).includes(String(round))
      if (kind !== 'exited' && (kind !== 'not-started' || ran)) untrue.push(`${round}: ${kind}`)
      expect(findKept()).toEqual([])
    }
    expect(untrue).toEqual([])
  })

  test('is not given to the next command when one was killed that had just ended', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    fixture.prepare()
    const command = supervise(await fixture.begin('echo ended > ended', workspace), () => {})
    // The end of the command is on its way to us, and we do not listen.
    while (!existsSync(join(workspace, 'ended'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    command.kill('cancelled')
    expect(await command.result).toMatchObject({ kind: 'killed', cause: 'cancelled' })
    expect(await fixture.pool.begin({ command: 'true', workspace, home: workspace })).toBeNull()
    await expect.poll(findKept, { interval: 50 }).toEqual([])
  })

  test('ends when its time is up, after its command; and when the host closes; then none is made any more', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    fixture.prepare()
    await expect.poll(findKept, { interval: 50 }).not.toEqual([])
    fixture.passTime()
    expect(await fixture.pool.begin({ command: 'true', workspace, home: workspace })).toBeNull()
    await expect.poll(findKept, { interval: 50 }).toEqual([])

    fixture.prepare()
    const started = await fixture.begin('echo to the end', workspace)
    fixture.passTime()
    expect(await finish(started)).toMatchObject({ kind: 'exited', stdout: 'to the end\n' })
    expect(await fixture.pool.begin({ command: 'true', workspace, home: workspace })).toBeNull()
    await expect.poll(findKept, { interval: 50 }).toEqual([])

    fixture.prepare()
    await fixture.pool.close()
    expect(findKept()).toEqual([])
    fixture.prepare()
    expect(await fixture.pool.begin({ command: 'true', workspace, home: workspace })).toBeNull()
    expect(findKept()).toEqual([])
    expect(fixture.problems).toEqual([])
  })

  test('that has died is not given away, and the log tells', async () => {
    const fixture = new Fixture()
    fixture.prepare()
    await expect.poll(findKept, { interval: 50 }).not.toEqual([])
    for (const pid of findKept()) killProcess(pid)
    await expect.poll(() => fixture.problems, { interval: 50 }).toHaveLength(1)
    expect(await fixture.pool.begin({ command: 'true', workspace: '/', home: '/' })).toBeNull()
  })

  test('ends with a host that is killed', async () => {
    const { run } = await startService()
    expect(await run('echo hi')).toMatchObject({ stdout: 'hi\n' })
    await expect.poll(findKept, { interval: 50 }).not.toEqual([])
    const kept = findKept()
    const host = must(hostOf(process.pid), 'it is a child of this process')
    process.kill(host, 'SIGKILL')
    await expect.poll(() => kept.filter(isRunning), { interval: 50 }).toEqual([])
  })

  test('and fails before the command leaves it to a new one, in a namespace as well', async () => {
    const bubblewrap = join(newWorkspace(), 'bwrap')
    const script = `case "$*" in *'read -r -d'*) echo here >&5; read -r -N 1 -u 5; exit 1 ;; esac; exec ${BUBBLEWRAP} "$@"`
    writeFileSync(bubblewrap, `#!/bin/bash\n${script}\n`, { mode: 0o755 })
    const { run } = await startService({ bubblewrapPaths: [bubblewrap] })
    const command = 'echo $$ >> runs; cat runs'
    expect(await run(command)).toMatchObject({ stdout: '2\n' })
    await expect.poll(findKept, { interval: 50 }).not.toEqual([])
    expect(await run(command)).toMatchObject({ stdout: '2\n2\n' })
  })

  test('serves as many commands at once as there are', async () => {
    const { run } = await startService()
    const runAll = (): Promise<CommandOutcome[]> =>
      Promise.all(
        Array.from({ length: 3 }, () =>
          run(`echo x >> here; until [[ $(wc -l <here) -ge 3 ]]; do sleep 0.01; done; ${WHICH_NAMESPACE}`),
        ),
      )
    await runAll()
    expect(await run('rm here')).toMatchObject({ kind: 'exited', exitCode: 0 })
    await expect.poll(() => findKept().length, { interval: 50 }).toBeGreaterThan(0)
    const outcomes = await runAll()
    const namespaces = outcomes.map((outcome) => ('stdout' in outcome ? outcome.stdout : outcome.kind))
    expect(new Set(namespaces).size).toBe(3)
  })
})

interface KeptProcesses {
  readonly BUBBLEWRAP: number
  readonly KEEPER: number
  readonly WAITING: number
}

/** The processes of the one namespace there is, when its shell waits. */
function untilWaiting(): Promise<KeptProcesses> {
  const find = (): KeptProcesses => {
    const bubblewrap = findKept().find((pid) => readProcess(pid)?.parentPid === process.pid)
    const [keeper, waiting] = bubblewrap === undefined ? [] : findDescendants(bubblewrap)
    return { BUBBLEWRAP: must(bubblewrap, ''), KEEPER: must(keeper, ''), WAITING: must(waiting, 'a shell is there') }
  }
  return vi.waitFor(find, { ...PATIENCE, interval: 1 })
}

/** Programs with this name below this process. */
function findDescendantsNamed(name: string): readonly number[] {
  const ours = new Set(findDescendants(process.pid))
  return findProcesses(name).filter((pid) => ours.has(pid) && isRunning(pid))
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

interface Service {
  readonly run: (command: string) => Promise<CommandOutcome>
}

async function startService(options: Partial<CommandRunnerOptions> = {}): Promise<Service> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const service = await createCommandRunner({ home: newWorkspace(), logger, clock: systemClock, ...options })
  cleanups.push(() => service.stop())
  service.allowUntil(FOREVER_MS)
  const outputs = { entries: [], isFirstOfTurn: true }
  const input = { sessionId: 'cli:test', taskId: 'task_1', role: 'ADMIN', timeoutMs: 20_000, outputs } as const
  const { signal } = new AbortController()
  return { run: (command) => service.runner.run({ ...input, command, signal, onOutput: () => {} }) }
}

/** What differs from one run to the next: times, process numbers of what is started meanwhile. */
function withoutVariety(result: ProcessResult): unknown {
  if (result.kind !== 'exited') return result
  const stdout = result.stdout.replaceAll(/^(EPOCH\w+|RANDOM|SRANDOM|SECONDS|BASHPID|PPID)=.*\n/gm, '')
  return { ...result, stdout }
}
