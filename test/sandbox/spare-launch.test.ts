/**
 * A launch that was prepared before there was a command: nobody can tell it from a new one, it is used once, and when nobody
 * uses it, it ends. Real processes, so only where bubblewrap works.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { planAdminLaunch } from '../../src/execution/admin-launch.ts'
import type { CommandOutcome } from '../../src/execution/command.ts'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { CommandProcess, type ProcessResult } from '../../src/execution/command-process.ts'
import { OutputPipes } from '../../src/execution/output-pipes.ts'
import { findDescendants, isRunning, killProcess, readProcess } from '../../src/execution/process-tree.ts'
import { createCommandRunner, type CommandRunnerOptions } from '../../src/execution/run-command.ts'
import { SpareLaunch } from '../../src/execution/spare-launch.ts'
import { startLaunch, type StartedLaunch } from '../../src/execution/start-launch.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { findProcesses } from './outside-world.ts'
import { createTestHome, findSandbox, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()
const BUBBLEWRAP = '/usr/bin/bwrap'

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
  readonly pipes = new OutputPipes()
  readonly problems: string[] = []
  readonly timers: (() => void)[] = []
  readonly spare: SpareLaunch

  constructor() {
    const clock: Clock = {
      ...systemClock,
      after: (_, action) => {
        this.timers.push(action)
        return () => {}
      },
    }
    this.spare = new SpareLaunch({ clock, pipes: this.pipes, onProblem: (message) => this.problems.push(message) })
    cleanups.push(async () => {
      await this.spare.close()
      this.pipes.remove()
    })
  }

  async prepare(): Promise<void> {
    await this.spare.prepare(BUBBLEWRAP)
  }

  take(command: string, workspace: string): StartedLaunch {
    return must(this.spare.take({ command, workspace }), 'one has been prepared')
  }
}

function finish(started: StartedLaunch): Promise<ProcessResult> {
  return new CommandProcess({
    started,
    timeoutMs: 20_000,
    limits: DEFAULT_COMMAND_LIMITS,
    clock: systemClock,
    onOutput: () => {},
    onNamespace: () => {},
    onProblem: () => {},
  }).result
}

/** Processes below this one that belong to prepared launches. */
function findSpares(): readonly number[] {
  const ours = new Set(findDescendants(process.pid))
  return findProcesses('read -r -d').filter((pid) => ours.has(pid))
}

describe.skipIf(!sandbox.available)(`a launch that was prepared${skipReason(sandbox)}`, () => {
  // With words of the shell itself: while it starts another program it looks different from one moment to the next.
  const OF_ITSELF =
    'read -r -a stat </proc/$$/stat; echo "${stat[0]} ${stat[*]:3:5} ${stat[*]:17:3}"; ' +
    'while read -r line; do case $line in Sig[BIC]*) echo "$line" ;; esac; done </proc/$$/status'

  test('is for its command what a new one is', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    const command = `echo "$0 $# $$ $- $PWD $(umask)"; env | sort; ulimit -a; set; ls -l /proc/self/fd | wc -l; ${OF_ITSELF}; cat`
    const fresh = await finish(await startLaunch(planAdminLaunch({ command, workspace }, BUBBLEWRAP), fixture.pipes))
    await fixture.prepare()
    const prepared = await finish(fixture.take(command, workspace))
    expect(fresh).toMatchObject({ kind: 'exited', exitCode: 0, stderr: '' })
    expect(withoutVariety(prepared)).toEqual(withoutVariety(fresh))
  })

  test('gets its command as it is written', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (text) => {
        const comment = text.replaceAll(/[\0\n]/g, '').toWellFormed()
        const command = `printf %s "$BASH_EXECUTION_STRING"\n\n#\u0001\u007F\\ \t'"${comment}\n `
        await fixture.prepare()
        const result = await finish(fixture.take(command, workspace))
        expect(result).toEqual({ kind: 'exited', exitCode: 0, stdout: command, stderr: '', truncated: false })
      }),
      { numRuns: 40 },
    )
  })

  // Each in a launch of its own, both ways.
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
    ['echo )', 'a syntax error'],
    ['if true; then', 'an end too early'],
    [`echo "abc`, 'an open quote'],
  ])('runs %j as a new one does: %s', async (command) => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    const fresh = await finish(await startLaunch(planAdminLaunch({ command, workspace }, BUBBLEWRAP), fixture.pipes))
    await fixture.prepare()
    const prepared = await finish(fixture.take(command, workspace))
    expect(fresh).toMatchObject({ kind: 'exited' })
    // The one difference: where the shell says a syntax error was found.
    const stderr =
      'stderr' in prepared ? prepared.stderr.replaceAll('/bin/bash: eval: line', '/bin/bash: -c: line') : ''
    expect({ ...prepared, stderr }).toEqual(fresh)
  })

  test('is given away once, and not for a command that it would only slow down', async () => {
    const fixture = new Fixture()
    const workspace = newWorkspace()
    expect(fixture.spare.take({ command: 'true', workspace })).toBeNull()
    await Promise.all([fixture.prepare(), fixture.prepare()])
    expect(fixture.spare.take({ command: ':'.repeat(10_000), workspace })).toBeNull()
    const started = fixture.take('echo once', workspace)
    expect(fixture.spare.take({ command: 'echo twice', workspace })).toBeNull()
    expect(await finish(started)).toMatchObject({ kind: 'exited', stdout: 'once\n' })
  })

  test('says that nothing ran when the workspace is gone', async () => {
    const fixture = new Fixture()
    await fixture.prepare()
    expect(await finish(fixture.take('echo ran', '/there/is/no/such/folder'))).toMatchObject({ kind: 'not-started' })
  })

  test('ends when its time is up, and when the host closes; then none is made any more', async () => {
    const fixture = new Fixture()
    await fixture.prepare()
    expect(findSpares()).not.toEqual([])
    for (const fire of fixture.timers) fire()
    expect(fixture.spare.take({ command: 'true', workspace: '/' })).toBeNull()
    await expect.poll(findSpares, { timeout: 5_000, interval: 10 }).toEqual([])

    await fixture.prepare()
    await fixture.spare.close()
    expect(findSpares()).toEqual([])
    await fixture.prepare()
    expect(fixture.spare.take({ command: 'true', workspace: '/' })).toBeNull()
    expect(findSpares()).toEqual([])
    expect(fixture.problems).toEqual([])
  })

  test('that has died is not given away, and the log tells', async () => {
    const fixture = new Fixture()
    await fixture.prepare()
    for (const pid of findSpares()) killProcess(pid)
    await expect.poll(() => fixture.problems, { timeout: 5_000, interval: 10 }).toHaveLength(1)
    expect(fixture.spare.take({ command: 'true', workspace: '/' })).toBeNull()
  })

  test('ends with a host that is killed', async () => {
    const { run } = await startService()
    expect(await run('echo hi')).toMatchObject({ stdout: 'hi\n' })
    await expect.poll(findSpares, { timeout: 5_000, interval: 10 }).not.toEqual([])
    const spares = findSpares()
    const host = must(
      findProcesses('command-host-main').find((pid) => readProcess(pid)?.parentPid === process.pid),
      'the host is a child of this process',
    )
    process.kill(host, 'SIGKILL')
    await expect.poll(() => spares.filter(isRunning), { timeout: 5_000, interval: 10 }).toEqual([])
  })

  test('and fails before the command leaves it to a new one, in a namespace as well', async () => {
    const bubblewrap = join(newWorkspace(), 'bwrap')
    const script = `case "$*" in *'read -r -d'*) read -r -N 1 -u 5; exit 1 ;; esac; exec ${BUBBLEWRAP} "$@"`
    writeFileSync(bubblewrap, `#!/bin/bash\n${script}\n`, { mode: 0o755 })
    const { run } = await startService({ bubblewrapPaths: [bubblewrap] })
    const command = 'echo $$ >> runs; cat runs'
    expect(await run(command)).toMatchObject({ stdout: '2\n' })
    await expect.poll(findSpares, { timeout: 5_000, interval: 10 }).not.toEqual([])
    expect(await run(command)).toMatchObject({ stdout: '2\n2\n' })
  })
})

interface Service {
  readonly run: (command: string) => Promise<CommandOutcome>
}

async function startService(options: Partial<CommandRunnerOptions> = {}): Promise<Service> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const service = await createCommandRunner({ home: newWorkspace(), logger, clock: systemClock, ...options })
  cleanups.push(() => service.stop())
  const outputs = { entries: [], isFirstOfTurn: true }
  const input = { sessionId: 'cli:test', taskId: 'task_1', role: 'ADMIN', timeoutMs: 20_000, outputs } as const
  const { signal } = new AbortController()
  return { run: (command) => service.runner.run({ ...input, command, signal, onOutput: () => {} }) }
}

/** What differs from one run to the next: times, process numbers of what is started meanwhile. */
function withoutVariety(result: ProcessResult): unknown {
  if (result.kind !== 'exited') return result
  const stdout = result.stdout.replaceAll(/^(EPOCH\w+|RANDOM|SRANDOM|SECONDS|BASHPID)=.*\n/gm, '')
  return { ...result, stdout }
}
