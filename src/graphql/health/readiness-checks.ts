/** The checks of /ready. Required are those without which no message can be accepted; the others are only reported. */
import type { Config, LiveConfig } from '../../config/config.ts'
import { findMissingKeys, type ApiKeys } from '../../config/access/api-keys.ts'
import type { CommandService } from '../../execution/run-command.ts'
import { AppError } from '../../core/errors.ts'
import { modelKey } from '../../config/models/model-choice.ts'
import type { ModelFailure } from '../../model/model-failures.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Database, Statement } from '../../store/database.ts'
import type { CheckResult, Readiness } from './readiness.ts'

export interface ReadinessOptions {
  readonly database: Database
  readonly commands: CommandService
  readonly config: LiveConfig
  readonly keys: ApiKeys
  readonly isDraining: () => boolean
  /** What is wrong with FACTOTUM_HOME; null: nothing. */
  readonly homeProblem: () => string | null
  readonly isPaused: boolean
  /** What models failed with last. */
  readonly modelFailures: () => readonly ModelFailure[]
  readonly hideSecrets: (text: string) => string
  /** The migrations that this build knows. */
  readonly migrations: readonly string[]
  readonly logger: Logger
}

export function createReadiness(options: ReadinessOptions): Readiness {
  const said = new Set<string>()
  return {
    database: { required: true, check: () => checkDatabase(options.database) },
    migrations: { required: true, check: () => checkMigrations(options, said) },
    home: { required: true, check: () => Promise.resolve(checkHome(options.homeProblem())) },
    accepting: { required: true, check: () => Promise.resolve(checkDraining(options.isDraining())) },
    work: { required: false, check: () => Promise.resolve(checkPaused(options.isPaused)) },
    commands: { required: true, check: () => Promise.resolve(checkCommands(options.commands)) },
    sandbox: { required: false, check: () => Promise.resolve(checkSandbox(options.commands)) },
    model: { required: false, check: () => Promise.resolve(checkModel(options)) },
  }
}

async function checkDatabase(database: Database): Promise<CheckResult> {
  try {
    await database.transaction(async (transaction) => {
      await transaction.query(SMALL_MEMORY, [])
      await transaction.query(SPILL, [])
    })
    return { ok: true, detail: 'PostgreSQL answers, and has space on its disk' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'STORAGE_FULL')
      return { ok: false, detail: 'the disk of the database is full', fix: 'Make space on it; work goes on by itself.' }
    // The message of the error is for users; what is behind it says what to mend.
    return { ok: false, detail: `PostgreSQL takes no work: ${reasonOf(error.cause ?? error)}`, fix: DATABASE_FIX }
  }
}

const DATABASE_FIX = 'Mend PostgreSQL, or DATABASE_URL; "factotum doctor" checks both, and work goes on by itself.'

/** A sort that does not fit into memory takes space on the disk of the database for a moment, and leaves no row. */
const SMALL_MEMORY: Statement = { name: '', text: `SET LOCAL work_mem = '64kB'` }
const SPILL: Statement = {
  name: '',
  text: 'SELECT max(n) FROM (SELECT n FROM generate_series(1, 5000) AS n ORDER BY md5(n::text) OFFSET 0) AS sorted',
}

/** `said`: what is newer is logged once, since a process that no balancer sends anything to otherwise says nothing. */
async function checkMigrations(
  { database, migrations, logger }: ReadinessOptions,
  said: Set<string>,
): Promise<CheckResult> {
  const text = 'SELECT migration_name AS name, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL'
  const rows = await database.query<{ name: string; finished_at: Date | null }>({ name: '', text }, [])
  if (rows.some((row) => row.finished_at === null)) {
    return { ok: false, detail: 'a migration has failed', fix: 'See "prisma migrate resolve", then start again.' }
  }
  const newer = rows.map(({ name }) => name).filter((name) => !migrations.includes(name))
  if (newer.length === 0) return { ok: true, detail: 'all applied' }
  const names = newer.join(', ')
  if (!said.has(names))
    logger.warn(
      { newer: names },
      'the schema is of a newer version: /ready answers 503, and turns go on here; start that version',
    )
  said.add(names)
  const detail = `the database is newer than this server: it has ${names}`
  return { ok: false, detail, fix: 'Start the version that migrated it.' }
}

function checkHome(problem: string | null): CheckResult {
  if (problem === null) return { ok: true, detail: 'FACTOTUM_HOME takes files' }
  return { ok: false, detail: problem, fix: 'Bring it back, or make space; work goes on by itself.' }
}

function checkDraining(draining: boolean): CheckResult {
  return draining ? { ok: false, detail: 'stopping: no new turns are taken here' } : { ok: true, detail: 'taking work' }
}

function checkPaused(isPaused: boolean): CheckResult {
  if (!isPaused) return { ok: true, detail: 'turns, schedules, jobs, deliveries and plugins move' }
  const detail = 'paused: messages are taken, but no turn, schedule, job, delivery or plugin moves'
  return { ok: false, detail, fix: 'Start it without --paused, and all of it goes on.' }
}

function checkCommands(commands: CommandService): CheckResult {
  const problem = commands.hostProblem()
  if (problem === null) return { ok: true, detail: 'the process that starts commands answers' }
  const fix = 'It is replaced within seconds; should this last, the log says why no other one starts.'
  return { ok: false, detail: `the process that starts commands is not there: ${problem}`, fix }
}

function checkSandbox(commands: CommandService): CheckResult {
  const state = commands.sandbox()
  return state.available
    ? { ok: true, detail: `commands of users run in ${state.tier}` }
    : { ok: false, detail: `commands of users do not run: ${state.reason}`, fix: state.fix }
}

function checkModel({ config, keys, modelFailures, hideSecrets }: ReadinessOptions): CheckResult {
  const missing = findMissingKeys(config.current(), keys)
  if (missing.length > 0) {
    const fix = 'Set the variable in the environment or in .env of FACTOTUM_HOME.'
    return { ok: false, detail: `a key is not set: ${missing.join(', ')}`, fix }
  }
  const named = modelsNamed(config.current())
  const failing = modelFailures().filter((failure) => named.has(modelKey(failure)))
  if (failing.length > 0) {
    const fix = '"factotum models check" calls each model once; this goes when it has answered again.'
    return { ok: false, detail: hideSecrets(failing.map(describeFailure).join(' ')), fix }
  }
  const { provider, model } = config.current().models.planner
  const detail =
    config.current().providers.size === 0 ? 'the rehearsal model, which is no language model' : `${provider}:${model}`
  return { ok: true, detail }
}

/** Those of the configuration; what sessions name besides is theirs to see. */
function modelsNamed({ models, fallbacks, embedder }: Config): ReadonlySet<string> {
  const all = [...Object.values(models), ...Object.values(fallbacks).flat(), ...(embedder === null ? [] : [embedder])]
  return new Set(all.map(modelKey))
}

function describeFailure({ at, code, message, ...choice }: ModelFailure): string {
  return `The last call of ${modelKey(choice)} failed at ${at.toISOString()} (${code}): ${message}`
}
