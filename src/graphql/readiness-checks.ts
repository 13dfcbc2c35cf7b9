/** What /ready looks at. Required are the things without which no message can be taken; the rest only shows. */
import type { LiveConfig } from '../config/config.ts'
import { findMissingKeys, type ApiKeys } from '../config/api-keys.ts'
import type { CommandService } from '../execution/run-command.ts'
import type { Database } from '../store/database.ts'
import type { CheckResult, Readiness } from './readiness.ts'

export interface ReadinessOptions {
  readonly database: Database
  readonly commands: CommandService
  readonly config: LiveConfig
  readonly keys: ApiKeys
  readonly isDraining: () => boolean
}

export function createReadiness(options: ReadinessOptions): Readiness {
  return {
    database: { required: true, check: () => checkDatabase(options.database) },
    migrations: { required: true, check: () => checkMigrations(options.database) },
    accepting: { required: true, check: () => Promise.resolve(checkDraining(options.isDraining())) },
    commands: { required: true, check: () => Promise.resolve(checkCommands(options.commands)) },
    sandbox: { required: false, check: () => Promise.resolve(checkSandbox(options.commands)) },
    model: { required: false, check: () => Promise.resolve(checkModel(options)) },
  }
}

async function checkDatabase(database: Database): Promise<CheckResult> {
  await database.query({ name: '', text: 'SELECT 1' }, [])
  return { ok: true, detail: 'PostgreSQL answers' }
}

async function checkMigrations(database: Database): Promise<CheckResult> {
  const text =
    'SELECT count(*)::int AS open FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL'
  const [row] = await database.query<{ open: number }>({ name: '', text }, [])
  if (row?.open === 0) return { ok: true, detail: 'all applied' }
  return { ok: false, detail: 'a migration has failed', fix: 'See "prisma migrate resolve", then start again.' }
}

function checkDraining(draining: boolean): CheckResult {
  return draining ? { ok: false, detail: 'stopping: no new turns are taken here' } : { ok: true, detail: 'taking work' }
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

function checkModel({ config, keys }: ReadinessOptions): CheckResult {
  const missing = findMissingKeys(config.current(), keys)
  if (missing.length > 0) {
    const fix = 'Set the variable in the environment or in .env of FACTOTUM_HOME.'
    return { ok: false, detail: `a key is not set: ${missing.join(', ')}`, fix }
  }
  const { provider, model } = config.current().models.planner
  const detail =
    config.current().providers.size === 0 ? 'the rehearsal model, which is no language model' : `${provider}:${model}`
  return { ok: true, detail }
}
