/**
 * What the turn can rely on when it runs a command: outcomes, output, limits of time and size, and that nothing of role
 * USER runs without a sandbox that has been seen to hold. Real processes; role ADMIN with and without bubblewrap.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CommandInput, CommandOutcome } from '../../src/execution/command.ts'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { measureNamespaceMemory } from '../../src/execution/process/process-tree.ts'
import { createCommandRunner, type CommandRunnerOptions, type CommandService } from '../../src/execution/run-command.ts'
import {
  removeSetAside,
  setAsideWorkspace,
  sweepWorkspaces,
} from '../../src/execution/workspace/set-aside-workspace.ts'
import {
  adminHomePath,
  adminWorkspacePath,
  folderNames,
  sessionsFolder,
  workspaceName,
  workspacePath,
} from '../../src/execution/workspace/workspace.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { commandInput } from './command-input.ts'
import { findProcesses } from './outside-world.ts'
import { createTestHome, findSandbox, FOREVER_MS, skipReason } from './sandbox-support.ts'

const SESSION = 'cli:test'
const logger = createLogger({ level: 'silent', pretty: false })
const sandbox = await findSandbox()

interface Fixture {
  readonly home: string
  readonly service: CommandService
  readonly run: (command: string, input?: Partial<CommandInput>) => Promise<CommandOutcome>
}

const fixtures: Fixture[] = []

async function start(
  options: Partial<CommandRunnerOptions> = {},
  role: CommandInput['role'] = 'ADMIN',
): Promise<Fixture> {
  const home = options.home ?? createTestHome()
  const service = await createCommandRunner({ home, logger, clock: systemClock, ...options })
  service.allowUntil(FOREVER_MS)
  const fixture: Fixture = {
    home,
    service,
    run: (command, input = {}) =>
      service.runner.run(commandInput(command, { sessionId: SESSION, role, timeoutMs: 20_000, ...input })),
  }
  fixtures.push(fixture)
  return fixture
}

async function stopAll(): Promise<void> {
  await Promise.all(fixtures.map(({ service }) => service.stop()))
  for (const { home } of fixtures.splice(0)) rmSync(home, { recursive: true, force: true })
}

/** Resolves when `text` has been printed. */
function printed(text: string): { onOutput: CommandInput['onOutput']; seen: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let all = ''
  const onOutput: CommandInput['onOutput'] = (_, piece) => {
    all += piece
    if (all.includes(text)) resolve()
  }
  return { onOutput, seen: promise }
}

/** A program in the place of bubblewrap. */
function fakeBubblewrap(home: string, script: string): string {
  const path = join(home, 'bwrap')
  writeFileSync(path, `#!/bin/bash\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

/**
 * The bubblewrap of a busy machine, for a command with "slowly" in it: its first process is there, and waits for its
 * user map. That cannot be had together with "--disable-userns".
 */
const SLOW_FOR_SOME = `
[[ "$*" == *slowly* ]] || exec /usr/bin/bwrap "$@"
bubblewrap=$$
set_up() {
  sleep 0.3
  for pid in $(</proc/$bubblewrap/task/$bubblewrap/children); do
    [[ $pid == $BASHPID ]] && continue
    echo deny >/proc/$pid/setgroups
    echo "0 $(id -u) 1" >/proc/$pid/uid_map
    echo "0 $(id -g) 1" >/proc/$pid/gid_map
  done
  echo
}
for arg; do [[ $arg == --disable-userns ]] || args+=("$arg"); done
exec /usr/bin/bwrap --info-fd 8 --userns-block-fd 9 "\${args[@]}" 8>/dev/null 9< <(set_up)`

interface Way {
  readonly name: string
  readonly role: CommandInput['role']
  readonly bubblewrapPaths?: readonly string[]
  readonly skipped: string
}

const WAYS: readonly Way[] = [
  { name: 'an ADMIN with bubblewrap', role: 'ADMIN', skipped: skipReason(sandbox) },
  { name: 'an ADMIN without bubblewrap', role: 'ADMIN', bubblewrapPaths: [], skipped: '' },
  { name: 'a USER in the sandbox', role: 'USER', skipped: skipReason(sandbox) },
]

for (const { name, role, skipped, ...options } of WAYS) {
  describe.skipIf(skipped !== '')(`a command of ${name}${skipped}`, () => {
    let fixture: Fixture
    beforeAll(async () => (fixture = await start(options, role)))
    afterAll(stopAll)

    test('ends with its exit code, and its output apart by stream', async () => {
      const pieces: string[] = []
      const outcome = await fixture.run('echo out; echo err >&2; exit 3', {
        onOutput: (stream, text) => pieces.push(stream, text),
      })
      expect(outcome).toEqual({ kind: 'exited', exitCode: 3, stdout: 'out\n', stderr: 'err\n', truncated: false })
      expect(pieces.sort()).toEqual(['STDERR', 'STDOUT', 'err\n', 'out\n'].sort())
    })

    test('ends with 128 and the number of the signal that ended it', async () => {
      expect(await fixture.run('kill -KILL $$')).toMatchObject({ kind: 'exited', exitCode: 137 })
      expect(await fixture.run('kill -TERM $$')).toMatchObject({ kind: 'exited', exitCode: 143 })
    })

    test('may be any text', async () => {
      expect(await fixture.run('-v')).toMatchObject({ kind: 'exited', exitCode: 127 })
      expect(await fixture.run('')).toMatchObject({ kind: 'exited', exitCode: 0 })
      expect(await fixture.run(`echo "it's €"; printf 'a\\0\\377b'`)).toMatchObject({
        stdout: "it's €\na\uFFFD\uFFFDb",
      })
      expect(await fixture.run('echo \0')).toMatchObject({ kind: 'refused', reason: expect.stringContaining('NUL') })
    })

    test('gives way to the server, unless it is of an admin', async () => {
      const outcome = await fixture.run('nice')
      const niceness = outcome.kind === 'exited' ? Number(outcome.stdout) : NaN
      expect(niceness > getPriority()).toBe(role === 'USER')
    })

    test('sees its workspace and its home, and nothing of the environment of the server', async () => {
      const outcome = await fixture.run('pwd; echo "$HOME"; env | sort; cat; echo kept > file')
      const place = role === 'USER' ? '/workspace' : adminWorkspacePath(fixture.home, SESSION)
      const home = role === 'USER' ? '/workspace' : adminHomePath(fixture.home, SESSION)
      const lines = outcome.kind === 'exited' ? outcome.stdout.split('\n') : []
      expect(lines.slice(0, 2)).toEqual([place, home])
      const names = lines.slice(2, -1).map((line) => line.split('=')[0])
      const mark = 'bubblewrapPaths' in options ? ['FACTOTUM_OWNER'] : []
      const cautious = names.filter((name) => /^(?:GIT_CONFIG_|PYTHONNOUSERSITE$|PIP_|npm_config_)/.test(name ?? ''))
      expect(cautious).toHaveLength(role === 'USER' ? 2 : 6)
      const others = names.filter((name) => !cautious.includes(name))
      expect(others).toEqual([...mark, 'HOME', 'LANG', 'PATH', 'PWD', 'SHLVL', '_'])
      expect(lines.join('\n')).not.toContain('node_modules')
      expect(await fixture.run('cat file')).toMatchObject({ stdout: 'kept\n' })
      expect(await fixture.run('cat file', { sessionId: 'cli:other' })).toMatchObject({ kind: 'exited', exitCode: 1 })
    })

    test('can open its output by name', async () => {
      const outcome = await fixture.run('echo a > /dev/stdout; echo b | tee /dev/stderr; echo c >> /dev/fd/1')
      expect(outcome).toMatchObject({ stdout: 'a\nb\nc\n', stderr: 'b\n' })
    })

    test('ends when it has ended, whatever it leaves behind, and that ends too', async () => {
      const marker = `left-${randomHex(6)}`
      const leave = `bash -c 'exec -a ${marker} sleep 1000'`
      const outcome = await fixture.run(
        `${leave} & (setsid ${leave} &); (setsid nohup ${leave} > /dev/null 2>&1 &); sleep 0.1; echo end`,
      )
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: expect.stringContaining('end\n') })
      expect(findProcesses(marker)).toEqual([])
    })

    test('is ended with everything it started when its time is up', async () => {
      const marker = `late-${randomHex(6)}`
      const hang = `exec -a ${marker} sleep 1000`
      const command = `echo begun; (setsid bash -c '${hang}' &); trap '' TERM; bash -c '${hang}'; bash -c '${hang}'`
      const runFor = async (timeoutMs: number): Promise<CommandOutcome> => {
        const ended = await fixture.run(command, { timeoutMs })
        // A busy machine has not begun it by then.
        return ended.kind === 'killed' && ended.stdout === '' ? runFor(3 * timeoutMs) : ended
      }
      const outcome = await runFor(500)
      expect(outcome).toMatchObject({ kind: 'killed', cause: 'timeout', stdout: 'begun\n' })
      expect(findProcesses(marker)).toEqual([])
    })

    test('is ended when it is cancelled, at once also before it has begun', async () => {
      const cancel = new AbortController()
      const { onOutput, seen } = printed('begun')
      const running = fixture.run('echo begun; sleep 1000', { signal: cancel.signal, onOutput })
      await seen
      cancel.abort()
      expect(await running).toMatchObject({ kind: 'killed', cause: 'cancelled', stdout: 'begun\n' })
      const early = new AbortController()
      const starting = fixture.run('sleep 1000', { signal: early.signal })
      early.abort()
      expect(await starting).toMatchObject({ kind: 'killed', cause: 'cancelled' })
      expect(await fixture.run('touch never', { signal: AbortSignal.abort() })).toMatchObject({
        kind: 'killed',
        cause: 'cancelled',
      })
      expect(await fixture.run('ls never')).toMatchObject({ kind: 'exited', exitCode: 2 })
    })

    test('keeps 1 MiB of output, drops the rest and goes on', async () => {
      let streamed = ''
      const command = `head -c 1000000 /dev/zero | tr '\\0' a; head -c 900000 /dev/zero | tr '\\0' b >&2; head -c 900000 /dev/zero | tr '\\0' c; touch done`
      const outcome = await fixture.run(command, { onOutput: (_, text) => (streamed += text) })
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, truncated: true })
      const keptBytes = (1024 + 64) * 1024 // with the share of standard error
      expect(streamed).toHaveLength(keptBytes)
      expect(outcome.kind === 'exited' ? outcome.stdout.length + outcome.stderr.length : 0).toBe(keptBytes)
      expect(await fixture.run('ls done')).toMatchObject({ exitCode: 0 })
    })

    test('is ended when it prints without end', async () => {
      expect(await fixture.run('yes')).toMatchObject({ kind: 'killed', cause: 'output', truncated: true })
    })

    test('that the deny list names does not run', async () => {
      const outcome = await fixture.run('touch ran; rm -rf /')
      expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('rm -rf ./build') })
      expect(await fixture.run('ls ran')).toMatchObject({ exitCode: 2 })
    })

    test('fails for the caller when there is no workspace to be had', async () => {
      mkdirSync(join(fixture.home, 'sessions'), { recursive: true })
      const pathOf = role === 'USER' ? workspacePath : adminWorkspacePath
      writeFileSync(pathOf(fixture.home, 'cli:blocked'), 'a file')
      await expect(fixture.run('true', { sessionId: 'cli:blocked' })).rejects.toMatchObject({
        code: 'WORKSPACE_UNUSABLE',
      })
    })

    test('that closes its workspace to itself is not the last one to run there', async () => {
      const input = { sessionId: 'cli:closed' }
      expect(await fixture.run('echo kept > file; chmod 000 .', input)).toMatchObject({ exitCode: 0 })
      expect(await fixture.run('cat file', input)).toMatchObject({ exitCode: 0, stdout: 'kept\n' })
    })

    test('rejects with what the listener throws, and ends', async () => {
      const onOutput = (): never => {
        throw new Error('listener failed')
      }
      await expect(fixture.run('echo a; sleep 1000', { onOutput })).rejects.toThrow('listener failed')
    })
  })
}

describe("an admin's command that puts a file in the place of its workspace", () => {
  afterAll(stopAll)

  test('has run, with what it has printed, though nothing of it can be published', async () => {
    const { run } = await start()
    const outcome = await run('mkdir pub; echo done; here=$PWD; rm -r "$here"; touch "$here"')
    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: 'done\n' })
    expect(outcome).toMatchObject({ publication: { files: [], notes: [expect.stringContaining('ENOTDIR')] } })
    await expect(run('true')).rejects.toMatchObject({ code: 'WORKSPACE_UNUSABLE' })
  })
})

describe.skipIf(!sandbox.available)(`one session for both roles${skipReason(sandbox)}`, () => {
  afterAll(stopAll)

  test('neither finds what the other has left in its workspace or its home', async () => {
    const { run } = await start()
    const leave = 'echo mine > file; echo mine > ~/.profile; ls -A . ~'
    expect(await run(leave, { role: 'USER' })).toMatchObject({ stdout: expect.stringContaining('file') })
    expect(await run('ls -A . ~', { role: 'ADMIN' })).toMatchObject({ stdout: expect.not.stringContaining('file') })
    expect(await run('rm ~/.profile file; ls -A . ~', { role: 'USER' })).toMatchObject({ exitCode: 0 })
    expect(await run(leave, { role: 'ADMIN' })).toMatchObject({ stdout: expect.stringContaining('file') })
    expect(await run('ls -A . ~', { role: 'USER' })).toMatchObject({ stdout: expect.not.stringContaining('file') })
    expect(await run('cat file ~/.profile', { role: 'ADMIN' })).toMatchObject({ stdout: 'mine\nmine\n' })
  })

  test('set aside, its workspace is another one at once; removing it, now or by the sweep, removes everything in it', async () => {
    const { run, home } = await start()
    const sweep = () => sweepWorkspaces({ home, hostClock: systemClock, logger }, new AbortController().signal)
    for (const remove of [(name: string) => removeSetAside({ home, logger }, name), sweep]) {
      for (const role of ['USER', 'ADMIN'] as const)
        await run('mkdir -p locked/in && touch locked/in/file ~/here && chmod 0 locked', { role })
      expect(readdirSync(sessionsFolder(home)).sort()).toEqual([...folderNames(workspaceName(SESSION))].sort())
      const name = must(await setAsideWorkspace(home, SESSION), 'a workspace')
      expect(readdirSync(sessionsFolder(home)).filter((name) => name.startsWith(workspaceName(SESSION)))).toEqual([])
      expect(await run('ls', { role: 'USER' })).toMatchObject({ stdout: '' })
      await remove(name)
      expect(readdirSync(sessionsFolder(home))).toEqual([workspaceName(SESSION)])
      await remove(name)
    }
    expect(await setAsideWorkspace(home, 'cli:never-seen')).toBeNull()
  })
})

describe.skipIf(!sandbox.available)(`a workspace that has grown too large${skipReason(sandbox)}`, () => {
  afterAll(stopAll)

  test('may only shrink until it is small again', async () => {
    // Not watched while it runs: the command itself goes through.
    const limits = { ...DEFAULT_COMMAND_LIMITS, workspaceBytes: 4_000_000, watchAfterMs: 60_000 }
    const { run } = await start({ limits }, 'USER')
    expect(await run('head -c 8000000 /dev/zero > large')).toMatchObject({ exitCode: 0 })
    // Its size is measured behind the command, not in its way.
    await expect.poll(() => run('echo more > more')).toMatchObject({ exitCode: 153, isWorkspaceFull: true })
    expect(await run('rm large')).toMatchObject({ exitCode: 0 })
    await expect.poll(() => run('echo more > more')).toMatchObject({ exitCode: 0 })
    expect(await run('true')).not.toHaveProperty('isWorkspaceFull')
  })

  test('is not filled with what has no size either', async () => {
    const limits = { ...DEFAULT_COMMAND_LIMITS, workspaceFileCount: 6_400 }
    const { run } = await start({ limits }, 'USER')
    const workspace = { maxBytes: 0, mayOnlyShrink: true }
    const fill = (make: string): string =>
      `perl -e 'for (my $i = 0; ; $i++) { ${make}; select(undef, undef, undef, 0.0005) }'`
    for (const make of ['open(my $f, ">", "empty$i")', 'mkdir("folder$i")', 'symlink("x", "link$i")'])
      expect(await run(fill(make), { workspace })).toMatchObject({ kind: 'killed', cause: 'disk' })
    expect(await run('rm -rf empty*; echo done', { workspace })).toMatchObject({ exitCode: 0, stdout: 'done\n' })
  })
})

describe.skipIf(!sandbox.available)(`a command whose sandbox takes long to be set up${skipReason(sandbox)}`, () => {
  afterAll(stopAll)

  test('is not ended for the memory of other programs, which its first process sees until then', async () => {
    const memoryBytes = 50 * 1024 * 1024
    expect(await measureNamespaceMemory(process.pid)).toBeGreaterThan(memoryBytes)
    const home = createTestHome()
    const limits = { ...DEFAULT_COMMAND_LIMITS, memoryBytes, watchAfterMs: 0, watchEveryMs: 5 }
    const { run } = await start({ home, limits, bubblewrapPaths: [fakeBubblewrap(home, SLOW_FOR_SOME)] }, 'USER')
    expect(await run('echo slowly')).toMatchObject({ kind: 'exited', exitCode: 0, stdout: 'slowly\n' })
  })
})

describe('without a sandbox that holds', () => {
  afterEach(stopAll)

  test('nothing of role USER runs, and an ADMIN is not affected', async () => {
    const { run, home, service } = await start({ bubblewrapPaths: ['/nonexistent/bwrap'] }, 'USER')
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => run('touch ran')))
    for (const outcome of outcomes) {
      expect(outcome).toEqual({
        kind: 'unavailable',
        reason: 'bubblewrap is not installed.',
        fix: expect.stringContaining('Install bubblewrap'),
      })
    }
    expect(service.sandbox()).toMatchObject({ available: false, reason: 'bubblewrap is not installed.' })
    expect(existsSync(workspacePath(home, SESSION))).toBe(false)
    expect(await run('echo hi', { role: 'ADMIN' })).toMatchObject({ kind: 'exited', stdout: 'hi\n' })
  })

  const BROKEN = [
    ['confines nothing', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'],
    [
      'confines nothing and says that all is well',
      'echo \'{ "child-pid": 99999999 }{ "exit-code": 0 }\' >&4; while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    ],
    ['fails', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1'],
    ['is too old', 'echo "bwrap: Unknown option --disable-userns" >&2; exit 1'],
    ['does nothing', 'exit 0'],
  ] as const
  test.each(BROKEN)('a bubblewrap that %s is found out', async (_, script) => {
    const home = createTestHome()
    const { run, service } = await start({ home, bubblewrapPaths: [fakeBubblewrap(home, script)] }, 'USER')
    const reason = expect.stringContaining('bubblewrap does not work here')
    expect(service.sandbox()).toMatchObject({ available: false, reason })
    expect(await run('touch ran')).toMatchObject({ kind: 'unavailable' })
    expect(await run('echo hi', { role: 'ADMIN' })).toMatchObject({ kind: 'exited', stdout: 'hi\n' })
  })

  test.skipIf(!sandbox.available)(
    `inside another sandbox, where namespaces are off, it says so${skipReason(sandbox)}`,
    async () => {
      const home = createTestHome()
      const nested = 'exec /usr/bin/bwrap --unshare-user --uid 1000 --disable-userns --dev-bind / / /usr/bin/bwrap "$@"'
      const { run } = await start({ home, bubblewrapPaths: [fakeBubblewrap(home, nested)] }, 'USER')
      expect(await run('touch ran')).toMatchObject({
        kind: 'unavailable',
        reason: expect.stringContaining('bubblewrap does not work here'),
      })
    },
  )

  test.skipIf(!sandbox.available)(
    `that stops holding, nothing runs until a probe has passed again${skipReason(sandbox)}`,
    async () => {
      const clock: Clock = { ...systemClock, monotonicMs: () => 0 } // by which no state grows old
      const home = createTestHome()
      const path = fakeBubblewrap(home, 'exec /usr/bin/bwrap "$@"')
      const { run, service } = await start({ home, clock, bubblewrapPaths: [path] }, 'USER')
      // A sandbox that was prepared before it stopped holding may be there, and holds.
      const runNext = async (command: string): Promise<CommandOutcome> => {
        const first = await run('true')
        return first.kind === 'unavailable' ? first : run(command)
      }
      expect(await run('echo hi')).toMatchObject({ kind: 'exited', stdout: 'hi\n' })

      rmSync(path)
      expect(await runNext('touch ran')).toMatchObject({ kind: 'unavailable', reason: 'bubblewrap is not installed.' })
      expect(await run('touch ran-as-admin', { role: 'ADMIN' })).toMatchObject({ kind: 'exited' })
      fakeBubblewrap(home, 'exec /usr/bin/bwrap "$@"')
      expect(await run('echo again')).toMatchObject({ kind: 'exited', stdout: 'again\n' })

      rmSync(join(home, 'sandbox/seccomp.bpf'))
      expect(await runNext('touch ran')).toMatchObject({
        kind: 'unavailable',
        fix: expect.stringContaining('once more'),
      })
      expect(service.sandbox()).toEqual({ available: true, tier: 'bubblewrap' })
      expect(await run('ls ran')).toMatchObject({ kind: 'exited', exitCode: 2 })
    },
  )

  test.skipIf(!sandbox.available)(`whose limits cannot be set, nothing runs${skipReason(sandbox)}`, async () => {
    const home = createTestHome()
    const limited = 'ulimit -n 64; exec /usr/bin/bwrap "$@"'
    const { run } = await start({ home, bubblewrapPaths: [fakeBubblewrap(home, limited)] }, 'USER')
    expect(await run('touch ran')).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('open files') })
  })
})

describe('stopping', () => {
  afterEach(stopAll)

  test('ends what runs, tells its caller, and starts nothing any more', async () => {
    const { run, service } = await start()
    const { onOutput, seen } = printed('begun')
    const running = run('echo begun; sleep 1000', { onOutput })
    await seen
    await service.stop()
    expect(await running).toMatchObject({ kind: 'killed', cause: 'cancelled', stdout: 'begun\n' })
    await expect(run('true')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
    await service.stop()
  })

  test('two services in one process know nothing of each other', async () => {
    const [one, other] = [await start(), await start({ bubblewrapPaths: [] })]
    await one.service.stop()
    expect(await other.run('echo hi')).toMatchObject({ stdout: 'hi\n' })
  })
})
