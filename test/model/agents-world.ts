/** The agents as app.ts wires them, for tests: real HTTP to a stub (or the rehearsal model), no database, waits on record. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createAgents } from '../../src/agents/create-agents.ts'
import type { Agents, MessengerContext, PlannerContext, ReviewerContext } from '../../src/agents/agent.ts'
import { createLanguageModel } from '../../src/model/create-language-model.ts'
import type { LanguageModel } from '../../src/model/language-model.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { StubConfig, type StubConfigOptions } from './stub-config.ts'

export interface AgentsWorld extends AsyncDisposable {
  readonly agents: Agents
  readonly model: LanguageModel
  readonly config: StubConfig
  readonly home: string
  /** How long the code asked to wait between tries; the waits themselves are skipped unless `realWaits`. */
  readonly waitsMs: number[]
}

export interface AgentsWorldOptions extends StubConfigOptions {
  readonly keys?: Readonly<Record<string, string>>
  readonly proxyEnv?: Readonly<Record<string, string>>
  /** Waits between tries take their time. */
  readonly realWaits?: boolean
}

export async function openAgentsWorld(options: AgentsWorldOptions): Promise<AgentsWorld> {
  const home = await mkdtemp(join(tmpdir(), 'factotum-agents-'))
  const config = new StubConfig(options)
  const waitsMs: number[] = []
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      waitsMs.push(ms)
      if (options.realWaits === true) await systemClock.sleep(ms, signal)
    },
  }
  const logger = pino({ level: 'silent' })
  const keys = { apiKey: (name: string) => options.keys?.[name] ?? null }
  const model = createLanguageModel({ config, keys, proxyEnv: options.proxyEnv ?? {}, clock, logger })
  return {
    agents: createAgents({ config, model, home, clock, logger }),
    model,
    config,
    home,
    waitsMs,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true }),
  }
}

export const PLANNER_CONTEXT: PlannerContext = {
  callerName: 'marco',
  callerRole: 'ADMIN',
  message: 'Say hi.',
  recentMessages: [],
  recentOutputs: [],
  maxTasks: 20,
  replan: null,
}

export const REVIEWER_CONTEXT: ReviewerContext = {
  goal: 'Say hi',
  message: 'Say hi.',
  task: {
    index: 0,
    type: 'EXEC',
    detail: 'echo hi',
    expect: 'it prints hi',
    status: 'DONE',
    exitCode: 0,
    output: 'hi\n',
    stderr: '',
  },
  truncated: false,
}

export const MESSENGER_CONTEXT: MessengerContext = {
  goal: 'Say hi',
  detail: 'Say hi.',
  outputs: [REVIEWER_CONTEXT.task],
}
