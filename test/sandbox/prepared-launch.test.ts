/**
 * A launch that is made ready before its command: the command cannot tell it from `bash -c`, it runs in no other, what
 * waits knows nothing of any command, and what nobody uses ends. Real processes, so only where bubblewrap works.
 */
import { chmodSync, existsSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { CommandOutcome } from '../../src/execution/command.ts'
import { DEFAULT_COMMAND_LIMITS, type CommandLimits } from '../../src/execution/command-limits.ts'
import { CommandProcess, type ProcessResult } from '../../src/execution/host/command-process.ts'
import { PreparedLaunch } from '../../src/execution/namespace/prepared-launch.ts'
import { PreparedLaunches, type Purpose } from '../../src/execution/namespace/prepared-launches.ts'
import { OutputPipes } from '../../src/execution/output/output-pipes.ts'
import {
  findDescendants,
  isRunning,
  killProcess,
  listProcesses,
  readEnvironment,
  readProcess,
} from '../../src/execution/process/process-tree.ts'
import { createCommandRunner, type CommandRunnerOptions } from '../../src/execution/run-command.ts'
import { planAdminLaunch } from '../../src/execution/sandbox/admin-launch.ts'
import { findDropAccount } from '../../src/execution/sandbox/drop-account.ts'
import type { Launch, Order } from '../../src/execution/sandbox/launch.ts'
import { writeSandboxFiles } from '../../src/execution/sandbox/sandbox-files.ts'
import { planSandboxLaunch, planSandboxOrder } from '../../src/execution/sandbox/sandbox-profile.ts'
import type { LaunchMeans, StartedLaunch } from '../../src/execution/sandbox/start-launch.ts'
import { hasWorkspace } from '../../src/execution/workspace/set-aside-workspace.ts'
import { prepareWorkspace, workspacePath } from '../../src/execution/workspace/workspace.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { PATIENCE } from '../harness/patience.ts'
import { rounds } from '../harness/rounds.ts'
import { commandInput } from './command-input.ts'
import { hostOf } from './host-of.ts'
import { findProcesses } from './outside-world.ts'
import { findSandbox, FOREVER_MS, newHome, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()
const BUBBLEWRAP = '/usr/bin/bwrap'
const ROUNDS = rounds(10, 30)
const ROLES = ['USER', 'ADMIN'] as const
type Role = (typeof ROLES)[number]
/** As many as may wait at once. */
const MAX_COUNT = 8

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

/** A pool of its own, with a time that passes when it is told to. */
class Fixture {
  readonly means: LaunchMeans = { pipes: new OutputPipes(newHome()), mark: {}, clock: systemClock }
  readonly problems: string[] = []
  readonly pool: PreparedLaunches
  readonly home = newHome()
  readonly #timers = new Map<() => void, number>()
  #nowMs = 0

  constructor() {
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => this.#nowMs,
      after: (ms, action) => {
        this.#timers.set(action, this.#nowMs + ms)
        return () => void this.#timers.delete(action)
      },
    }
    this.pool = new PreparedLaunches({ ...this.means, clock, onProblem: (message) => this.problems.push(message) })
    cleanups.push(() => this.pool.close())
  }

  passTime(ms: number): void {
    this.#nowMs += ms
    for (const [action, atMs] of this.#timers) {
      if (atMs > this.#nowMs) continue
      this.#timers.delete(action)
      action()
    }
  }

  async workspace(name: string): Promise<string> {
    const path = join(this.home, 'sessions', name)
    await prepareWorkspace(path, findDropAccount())
    return path
  }

  async purpose(role: Role, name = 'one', limits: CommandLimits = DEFAULT_COMMAND_LIMITS): Promise<Purpose> {
    if (role === 'ADMIN') return { launch: planAdminLaunch(BUBBLEWRAP), folder: '', most: 1 }
    const files = writeSandboxFiles(this.home, process.arch === 'arm64' ? 'arm64' : 'x64')
    const setup = { bubblewrap: BUBBLEWRAP, account: findDropAccount(), files }
    const workspace = await this.workspace(name)
    return { launch: planSandboxLaunch(setup, { workspace, limits, skill: null }), folder: name, most: 1 }
  }

  async order(role: Role, command: string): Promise<Order> {
    const workspace = await this.workspace('one')
    if (role === 'ADMIN') return { command, workspace, home: workspace, limits: '' }
    const limits = DEFAULT_COMMAND_LIMITS
    return planSandboxOrder({ command, timeoutMs: 20_000, limits, mayOnlyShrink: false, skill: null })
  }

  async run(role: Role, command: string): Promise<ProcessResult> {
    return finish((await this.ready(role)).begin(await this.order(role, command)))
  }

  /** In a launch that starts another shell for it. */
  async runPlainly(role: Role, command: string): Promise<ProcessResult> {
    const { launch } = await this.purpose(role)
    const prepared = await PreparedLaunch.start(withPlainShell(launch), this.means)
    return finish(prepared.begin(await this.order(role, command)))
  }

  /** One that has waited for its command. */
  async ready(role: Role): Promise<PreparedLaunch> {
    const purpose = await this.purpose(role)
    this.pool.prepare(purpose)
    await untilWaiting()
    return must(this.pool.take(purpose), 'one has been prepared')
  }
}

function withPlainShell(launch: Launch): Launch {
  const script = must(launch.args.at(-1), 'the script is the last argument')
  const plain = script.replace('eval -- "$BASH', 'exec /bin/bash --norc -c -- "$BASH')
  expect(plain).not.toBe(script)
  return { ...launch, args: [...launch.args.slice(0, -1), plain] }
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

interface Waiting {
  readonly bubblewrap: number
  /** The first process of its namespace. */
  readonly init: number
  readonly shell: number
}

/** Launches below this process of which the shell waits for its order; of the host, too. */
function findWaiting(): readonly Waiting[] {
  const ours = new Set(findDescendants(process.pid))
  const entries = listProcesses().filter(({ pid }) => ours.has(pid))
  const childOf = (pid: number): number | undefined => entries.find(({ parentPid }) => parentPid === pid)?.pid
  return findProcesses('--json-status-fd').flatMap((bubblewrap) => {
    const init = ours.has(bubblewrap) ? childOf(bubblewrap) : undefined
    const shell = init === undefined ? undefined : childOf(init)
    // In read(2), with the gate still open.
    const isWaiting = shell !== undefined && readProcess(shell)?.state === 'S' && existsSync(`/proc/${shell}/fd/5`)
    return init !== undefined && isWaiting ? [{ bubblewrap, init, shell }] : []
  })
}

/** All of them, when there are so many. */
function untilWaiting(count = 1): Promise<readonly Waiting[]> {
  const find = (): readonly Waiting[] => {
    const waiting = findWaiting()
    expect(waiting).toHaveLength(count)
    return waiting
  }
  return vi.waitFor(find, { ...PATIENCE, interval: 5 })
}

function untilNoneIsLeft(): Promise<void> {
  return expect.poll(() => findLaunches(), PATIENCE).toEqual([])
}

/** All launches below this process, waiting or not. */
function findLaunches(): readonly number[] {
  const ours = new Set(findDescendants(process.pid))
  return findProcesses('--json-status-fd').filter((pid) => ours.has(pid) && isRunning(pid))
}

// With words of the shell itself: while it starts another program it looks different from one moment to the next.
const OF_ITSELF =
  'read -r -a stat </proc/$$/stat; echo "${stat[*]:4:4} ${stat[*]:17:3}"; ' +
  // In one piece: its numbers grow from one read to the next, and lines move.
  `IFS= read -r -d '' status </proc/$$/status; while read -r line; do case $line in Sig[BIC]*|Cap*|NoNew*|Seccomp:*) echo "$line" ;; esac; done <<<"$status"`
const ALL_THAT_IT_SEES = `echo "$0 $# $- $PWD $(umask)"; env | sort; ulimit -a; set; shopt; trap; alias; ls -l /proc/self/fd | wc -l; ${OF_ITSELF}; cat`
const WHICH_NAMESPACE = 'readlink /proc/self/ns/pid'

function namespaceOf(result: ProcessResult | CommandOutcome): string {
  return 'stdout' in result ? result.stdout.trim() : result.kind
}

describe.skipIf(!sandbox.available).each(ROLES)(
  `a prepared launch, for a command of role %s${skipReason(sandbox)}`,
  (role) => {
    test('is what `bash -c` is', async () => {
      const fixture = new Fixture()
      const plain = await fixture.runPlainly(role, ALL_THAT_IT_SEES)
      const prepared = await fixture.run(role, ALL_THAT_IT_SEES)
      expect(plain).toMatchObject({ kind: 'exited', exitCode: 0, stderr: '' })
      expect(withoutVariety(prepared)).toEqual(withoutVariety(plain))
    })

    test('gives it its command as it is written, however long', async () => {
      const fixture = new Fixture()
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(20_000), async (text, length) => {
          const comment = text.replaceAll(/[\0\n]/g, '').toWellFormed()
          const command = `printf %s "$BASH_EXECUTION_STRING"\n\n#\u0001\u007F\\ \t'"${comment}${'é'.repeat(length)}\n `
          const result = await fixture.run(role, command)
          expect(result).toEqual({ kind: 'exited', exitCode: 0, stdout: command, stderr: '', truncated: false })
        }),
        { numRuns: rounds(8, 40) },
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
      ['echo out; echo err >&2; echo named > /dev/stderr; exec >&-; echo lost', 'its output'],
      ['sleep 1000 & kill -TERM -1; wait $!; echo $? cleaned', 'a signal to everybody'],
      ['sleep 1000 & kill -KILL -1; wait $!; echo $? cleaned', 'the end of everybody'],
      ['kill -KILL $PPID; kill -HUP $PPID; sleep 0.1; echo on', 'signals to its parent'],
      ['echo waits >&5; echo begins >&5; echo on', 'words for the host'],
      ['echo )', 'a syntax error'],
      ['if true; then', 'an end too early'],
      [`echo "abc`, 'an open quote'],
    ])('runs %j as `bash -c` does: %s', async (command) => {
      const fixture = new Fixture()
      const plain = await fixture.runPlainly(role, command)
      const prepared = await fixture.run(role, command)
      expect(plain).toMatchObject({ kind: 'exited' })
      // The one difference: where the shell says a syntax error was found.
      const stderr =
        'stderr' in prepared ? prepared.stderr.replaceAll('/bin/bash: eval: line', '/bin/bash: -c: line') : ''
      expect({ ...prepared, stderr }).toEqual(plain)
    })

    test('knows nothing before it: no command, nothing of the server, and of the environment what is its own', async () => {
      const fixture = new Fixture()
      vi.stubEnv('FACTOTUM_TEST_SECRET', 'secret-of-the-server')
      cleanups.push(() => void vi.unstubAllEnvs())
      expect(await fixture.run(role, 'echo secret-of-a-command > left; cat left')).toMatchObject({ kind: 'exited' })
      fixture.pool.prepare(await fixture.purpose(role))
      const [waiting] = await untilWaiting()
      const { bubblewrap, init, shell } = must(waiting, 'one waits')
      const known = [bubblewrap, init, shell].map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      expect(known.join('\n')).not.toContain('secret')
      const names = readEnvironment(shell).map((variable) => variable.split('=')[0])
      const cautious = ['GIT_CONFIG_', 'PYTHONNOUSERSITE', 'PIP_RETRIES', 'npm_config_fetch_retries']
      const others = names.filter((name) => !cautious.some((prefix) => name?.startsWith(prefix)))
      expect(new Set(others)).toEqual(new Set(['HOME', 'LANG', 'PATH', 'PWD', '']))
    })

    test('is given away once', async () => {
      const fixture = new Fixture()
      const purpose = await fixture.purpose(role)
      expect(fixture.pool.take(purpose)).toBeNull()
      for (let round = 0; round < 5; round++) fixture.pool.prepare(purpose)
      await untilWaiting()
      const prepared = must(fixture.pool.take(purpose), 'one has been prepared')
      expect(fixture.pool.take(purpose)).toBeNull()
      expect(await finish(prepared.begin(await fixture.order(role, 'echo ran')))).toMatchObject({ stdout: 'ran\n' })
      expect(fixture.pool.take(purpose)).toBeNull()
      await untilNoneIsLeft()
    })

    test.each(['shell', 'init', 'bubblewrap'] as const)(
      'whose %s is killed as a command comes says truly whether it ran',
      async (victim) => {
        const untrue: string[] = []
        const fixture = new Fixture()
        const ran = join(await fixture.workspace('one'), 'ran')
        for (let round = 0; round < ROUNDS; round++) {
          const purpose = await fixture.purpose(role)
          fixture.pool.prepare(purpose)
          const [waiting] = await untilWaiting()
          const prepared = must(fixture.pool.take(purpose), 'one has been prepared')
          const order = await fixture.order(role, `echo ${round} >> ran; sleep 1000`)
          const early = round % 2 === 0
          if (early) killProcess(must(waiting, 'one waits')[victim])
          const started = prepared.begin(order)
          if (!early) killProcess(must(waiting, 'one waits')[victim])
          const { kind } = await finish(started)
          const hasRun = linesOf(ran).includes(String(round))
          if (kind !== 'exited' && (kind !== 'not-started' || hasRun)) untrue.push(`${round}: ${kind}`)
          expect(findLaunches()).toEqual([])
        }
        expect(untrue).toEqual([])
      },
    )

    test('ends when it has waited for a minute, and when the host closes; then none is made any more', async () => {
      const fixture = new Fixture()
      const purpose = await fixture.purpose(role)
      fixture.pool.prepare(purpose)
      await untilWaiting()
      fixture.passTime(59_999)
      expect(findWaiting()).toHaveLength(1)
      fixture.passTime(1)
      expect(fixture.pool.take(purpose)).toBeNull()
      await untilNoneIsLeft()

      fixture.pool.prepare(purpose)
      await untilWaiting()
      fixture.pool.prepare(await fixture.purpose(role, 'another'))
      await fixture.pool.close()
      expect(findLaunches()).toEqual([])
      fixture.pool.prepare(purpose)
      expect(fixture.pool.take(purpose)).toBeNull()
      expect(findLaunches()).toEqual([])
      expect(fixture.problems).toEqual([])
    })

    test('that has died is not given away, and the log tells', async () => {
      const fixture = new Fixture()
      const purpose = await fixture.purpose(role)
      fixture.pool.prepare(purpose)
      const [waiting] = await untilWaiting()
      killProcess(must(waiting, 'one waits').init)
      await expect.poll(() => fixture.problems, { interval: 50 }).toHaveLength(1)
      expect(fixture.pool.take(purpose)).toBeNull()
    })

    test('serves the next command of a session, and ends with a host that is killed', async () => {
      const { run } = await startService(role)
      const first = namespaceOf(await run(WHICH_NAMESPACE))
      const [waiting] = await untilWaiting()
      const { init } = must(waiting, 'one waits')
      const itsName = namespaceOfProcess(init)
      const second = namespaceOf(await run(WHICH_NAMESPACE))
      expect([second, first]).toEqual([itsName, expect.not.stringMatching(itsName)])
      const [next] = await untilWaiting()
      process.kill(must(hostOf(process.pid), 'it is a child of this process'), 'SIGKILL')
      await expect.poll(() => Object.values(must(next, 'one waits')).filter(isRunning), { interval: 50 }).toEqual([])
    })

    test('and fails before the command leaves it to a new one', async () => {
      const folder = newHome()
      const bubblewrap = join(folder, 'bwrap')
      const [broken, seen] = [`${bubblewrap}.broken`, `${bubblewrap}.seen`]
      // As far as one can tell, it waits: its namespace has a first process, which sleeps.
      const ofBroken = `echo "{ \\"child-pid\\": $$ }" >&4; echo waits >&5; echo x >>${seen}; read -r -N 1 -u 5; exit 1`
      writeFileSync(bubblewrap, `#!/bin/bash\nif [[ -e ${broken} ]]; then ${ofBroken}; fi; exec ${BUBBLEWRAP} "$@"\n`)
      chmodSync(bubblewrap, 0o755)
      writeFileSync(seen, '')
      chmodSync(seen, 0o666)
      const { run, prepare } = await startService(role, { bubblewrapPaths: [bubblewrap] })
      expect(await run('echo x >> runs; wc -l <runs')).toMatchObject({ stdout: '1\n' })
      const [waiting] = await untilWaiting()
      killProcess(must(waiting, 'one waits').bubblewrap)
      await untilNoneIsLeft()
      writeFileSync(broken, '')
      const prepareAgain = (): readonly string[] => {
        prepare('cli:test') // until the death of the one before is known, that one counts as prepared
        return linesOf(seen)
      }
      await expect.poll(prepareAgain, { interval: 20 }).toEqual(['x'])
      rmSync(broken)
      expect(await run('echo x >> runs; wc -l <runs')).toMatchObject({ stdout: '2\n' })
      expect(linesOf(seen)).toEqual(['x'])
    })
  },
)

describe.skipIf(!sandbox.available)(`prepared launches${skipReason(sandbox)}`, () => {
  test('are for commands that would start in just the same way', async () => {
    const fixture = new Fixture()
    const purpose = await fixture.purpose('USER')
    const limits = { ...DEFAULT_COMMAND_LIMITS, processCount: 7 }
    fixture.pool.prepare(purpose)
    await untilWaiting()
    const { launch } = purpose
    const others = [
      await fixture.purpose('ADMIN'),
      await fixture.purpose('USER', 'another'),
      await fixture.purpose('USER', 'one', limits),
      { ...purpose, folder: 'made anew' },
      { ...purpose, launch: { ...launch, account: { name: 'other', uid: 1, gid: 1 } } },
      { ...purpose, launch: { ...launch, environment: { ...launch.environment, SECRET: 'of a skill' } } },
      { ...purpose, launch: { ...launch, file: '/usr/local/bin/bwrap' } },
    ]
    expect(others.map((other) => fixture.pool.take(other))).toEqual(others.map(() => null))
    await must(fixture.pool.take(purpose), 'it is for this').end()
  })

  test('are eight at most for 50 sessions; later the oldest make place', async () => {
    const fixture = new Fixture()
    const names = Array.from({ length: 50 }, (_, n) => `session-${n}`)
    const purposes = await Promise.all(names.map((name) => fixture.purpose('USER', name)))
    for (const purpose of purposes) fixture.pool.prepare(purpose)
    await untilWaiting(MAX_COUNT)
    expect(findLaunches()).toHaveLength(2 * MAX_COUNT)
    fixture.passTime(5_000)
    for (const purpose of purposes.slice(20, 22)) fixture.pool.prepare(purpose)
    await expect.poll(() => findLaunches().length, { interval: 50 }).toBe(2 * MAX_COUNT)
    await untilWaiting(MAX_COUNT)
    const isThere = purposes.map((purpose) => {
      const prepared = fixture.pool.take(purpose)
      if (prepared !== null) cleanups.push(() => prepared.end())
      return prepared !== null
    })
    expect(isThere.flatMap((one, n) => (one ? [n] : []))).toEqual([2, 3, 4, 5, 6, 7, 20, 21])
    expect(fixture.problems).toEqual([])
  })

  test('of admins are as many as their commands at once, up to four', async () => {
    const { run } = await startService('ADMIN')
    const command = 'echo x >> here; until [[ $(wc -l <here) -ge 6 ]]; do sleep 0.01; done'
    await Promise.all(Array.from({ length: 6 }, () => run(command)))
    expect(await untilWaiting(4)).toHaveLength(4)
  })

  test('are made where a session has a workspace, when a turn begins, and make none', async () => {
    const { run, prepare, home } = await startService('USER')
    prepare('cli:silent')
    await run('true', 'cli:other')
    await untilWaiting()
    expect(hasWorkspace(home, 'cli:silent')).toBe(false)
    expect(await run('echo kept > file', 'cli:test')).toMatchObject({ kind: 'exited' })
    await untilWaiting(2)
    for (const { bubblewrap } of findWaiting()) killProcess(bubblewrap)
    await untilWaiting(0)
    prepare('cli:test')
    const [waiting] = await untilWaiting()
    const itsName = namespaceOfProcess(must(waiting, 'one waits').init)
    const outcome = await run(`cat file; ${WHICH_NAMESPACE}`, 'cli:test')
    expect(outcome).toMatchObject({ stdout: `kept\n${itsName}\n` })
  })

  test('of a workspace that was set aside serve no command of the one that was made anew', async () => {
    const { run, home } = await startService('USER')
    await run('echo old > file')
    const [waiting] = await untilWaiting()
    const itsName = namespaceOfProcess(must(waiting, 'one waits').init)
    renameSync(workspacePath(home, 'cli:test'), workspacePath(home, 'cli:aside'))
    const outcome = await run(`${WHICH_NAMESPACE}; cat file; echo new > file`)
    expect(outcome).toMatchObject({ stdout: expect.not.stringMatching(itsName) })
    expect(outcome).toMatchObject({ stderr: expect.stringContaining('No such file') })
    expect(readFileSync(join(workspacePath(home, 'cli:aside'), 'file'), 'utf8')).toBe('old\n')
    expect(readFileSync(join(workspacePath(home, 'cli:test'), 'file'), 'utf8')).toBe('new\n')
  })
})

function namespaceOfProcess(pid: number): string {
  return readlinkSync(`/proc/${pid}/ns/pid`)
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

interface Service {
  readonly home: string
  readonly run: (command: string, sessionId?: string) => Promise<CommandOutcome>
  readonly prepare: (sessionId: string) => void
}

async function startService(role: Role, options: Partial<CommandRunnerOptions> = {}): Promise<Service> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const home = newHome()
  const service = await createCommandRunner({ home, logger, clock: systemClock, ...options })
  cleanups.push(() => service.stop())
  service.allowUntil(FOREVER_MS)
  const { runner } = service
  return {
    home,
    run: (command, sessionId = 'cli:test') => runner.run(commandInput(command, { role, sessionId })),
    prepare: (sessionId) => runner.prepare({ sessionId, role }),
  }
}

/** What differs from one run to the next: times, process numbers of what is started meanwhile. */
function withoutVariety(result: ProcessResult): unknown {
  if (result.kind !== 'exited') return result
  const stdout = result.stdout.replaceAll(/^(EPOCH\w+|RANDOM|SRANDOM|SECONDS|BASHPID|PPID)=.*\n/gm, '')
  return { ...result, stdout }
}
