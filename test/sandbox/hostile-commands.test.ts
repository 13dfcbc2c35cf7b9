/**
 * The promise of the sandbox: 42 hostile commands are stopped and 11 ordinary ones work, whether the server runs as
 * root (and drops its rights for them) or as an unprivileged user. Each variant is a server process of its own. The
 * hostile commands find sandboxes that were prepared; the ordinary ones start their own.
 */
import { chownSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandOutcome } from '../../src/execution/command.ts'
import { DEFAULT_COMMAND_LIMITS, type CommandLimits } from '../../src/execution/command-limits.ts'
import { findDropAccount } from '../../src/execution/sandbox/drop-account.ts'
import { must } from '../../src/platform/must.ts'
import { closedDirectory } from '../../src/config/home/unprivileged-account.ts'
import type { Job } from './command-server.ts'
import { HOSTILE_COMMANDS } from './hostile-commands.ts'
import { ORDINARY_COMMANDS } from './ordinary-commands.ts'
import { OutsideWorld, type Account } from './outside-world.ts'
import { startCommandServer, type ServerOptions } from './run-command-server.ts'
import { createTestHome, findSandbox, skipReason } from './sandbox-support.ts'

const MIB = 1024 * 1024
/** Small, so that breaking them takes little time. */
const SMALL_LIMITS: CommandLimits = {
  ...DEFAULT_COMMAND_LIMITS,
  outputFloodBytes: 4 * MIB,
  memoryBytes: 100 * MIB,
  processDataBytes: 200 * MIB,
  processCount: 48,
  fileBytes: 8 * MIB,
  workspaceBytes: 16 * MIB,
  workspaceFileCount: 500,
  tmpBytes: 8 * MIB,
  sharedMemoryBytes: 4 * MIB,
}

interface Variant {
  readonly name: string
  /** Who the server is; null: ourselves. */
  readonly server: Account | null
  /** Whom commands run as, seen from outside; null: ourselves. */
  readonly commands: Account | null
}

const account = findDropAccount()
const VARIANTS: readonly Variant[] =
  account === null
    ? [{ name: 'an unprivileged user', server: null, commands: null }]
    : [
        { name: `root, dropping to ${account.name}`, server: null, commands: account },
        { name: `an unprivileged user (${account.name})`, server: account, commands: account },
      ]

const sandbox = await findSandbox()

/** For the name of the tests; empty when they run. */
function whySkipped({ server }: Variant): string {
  const read = [import.meta.filename, process.execPath]
  const closed = read.map((path) => closedDirectory(account, dirname(path))).find((path) => path !== null)
  if (!sandbox.available || server === null || closed === undefined) return skipReason(sandbox)
  return ` [SKIPPED: the account cannot read this project. Run: chmod o+x ${closed}]`
}

interface Finished {
  readonly outcomes: readonly CommandOutcome[]
  readonly home: string
}

async function runAll(
  variant: Variant,
  job: Omit<Job, 'home' | 'role'>,
  options: Omit<ServerOptions, 'account'>,
): Promise<Finished> {
  const home = createTestHome()
  if (variant.server !== null) chownSync(home, variant.server.uid, variant.server.gid)
  const { reports } = startCommandServer({ ...job, home, role: 'USER' }, { ...options, account: variant.server })
  const outcomes: CommandOutcome[] = []
  for await (const report of reports) if (report.type === 'OUTCOME') outcomes[report.index] = report.outcome
  return { outcomes, home }
}

function describeEnd(outcome: CommandOutcome): string {
  if (outcome.kind === 'killed') return `killed: ${outcome.cause}`
  if (outcome.kind !== 'exited') return `${outcome.kind}: ${outcome.reason}`
  return outcome.stdout.endsWith('TRIED\n') ? 'ended by itself' : `gave up: ${outcome.stderr}`
}

function testHostileCommands(variant: Variant): void {
  const world = new OutsideWorld()
  let finished: Finished = { outcomes: [], home: '' }

  beforeAll(async () => {
    await world.open(variant.commands)
    const commands = HOSTILE_COMMANDS.map(({ command, killedBy }) =>
      world.describe(killedBy === undefined ? `${command}\necho TRIED` : command),
    )
    const env = { FACTOTUM_TEST_SECRET: world.secret, DATABASE_URL: `postgres://x:${world.secret}@127.0.0.1/x` }
    const timeoutsMs = HOSTILE_COMMANDS.map(({ killedBy }) => (killedBy === 'timeout' ? 6_000 : 60_000))
    const job = { limits: SMALL_LIMITS, timeoutMs: 60_000, timeoutsMs, concurrency: 4, commands, isPrepared: true }
    finished = await runAll(variant, job, { env, openFile: world.secretFile })
  }, 300_000)

  afterAll(async () => {
    await world.close()
    rmSync(finished.home, { recursive: true, force: true })
  })

  test.each(HOSTILE_COMMANDS.map((hostile, index) => ({ ...hostile, index })))('$name', ({ index, killedBy }) => {
    const outcome = must(finished.outcomes[index], 'every command has an outcome')
    expect(JSON.stringify(outcome)).not.toContain(world.secret)
    expect(describeEnd(outcome)).toBe(killedBy === undefined ? 'ended by itself' : `killed: ${killedBy}`)
    expect(outcome).toMatchObject({ stdout: expect.not.stringContaining('ESCAPED') })
  })

  test('does anything that shows outside', () => {
    expect(world.findDamage()).toEqual([])
  })

  test('leaves a program that lends its rights in any workspace', () => {
    const files = readdirSync(finished.home, { recursive: true, encoding: 'utf8' })
    const lending = files.filter(
      (name) => ((statSync(join(finished.home, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o6000) !== 0,
    )
    expect(files.length).toBeGreaterThan(HOSTILE_COMMANDS.length)
    expect(lending).toEqual([])
  })
}

function testOrdinaryCommands(variant: Variant): void {
  let finished: Finished = { outcomes: [], home: '' }

  beforeAll(async () => {
    const commands = ORDINARY_COMMANDS.map(({ command }) => command)
    finished = await runAll(
      variant,
      { limits: DEFAULT_COMMAND_LIMITS, timeoutMs: 30_000, concurrency: 2, commands },
      {},
    )
  })

  afterAll(() => rmSync(finished.home, { recursive: true, force: true }))

  for (const [index, { name, prints, needs }] of ORDINARY_COMMANDS.entries()) {
    const missing = needs.filter(
      (program) => !['/usr/local/bin', '/usr/bin'].some((folder) => existsSync(join(folder, program))),
    )
    const why =
      missing.length === 0
        ? ''
        : ` [SKIPPED: ${missing.join(' and ')} not in /usr/bin: apt-get install ${missing.join(' ')}]`
    test.skipIf(missing.length > 0)(`${name}${why}`, () => {
      const outcome = must(finished.outcomes[index], 'every command has an outcome')
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, truncated: false })
      expect(outcome.kind === 'exited' ? outcome.stdout + outcome.stderr : '').toBe(prints)
    })
  }
}

for (const variant of VARIANTS) {
  const skipped = whySkipped(variant)
  describe.skipIf(skipped !== '')(`on a server that runs as ${variant.name}${skipped}`, () => {
    describe('a hostile command is stopped when it', () => {
      testHostileCommands(variant)
    })
    describe('an ordinary command works when it', () => {
      testOrdinaryCommands(variant)
    })
  })
}

test('there are 42 hostile and 11 ordinary commands', () => {
  expect([HOSTILE_COMMANDS.length, ORDINARY_COMMANDS.length]).toEqual([42, 11])
})
