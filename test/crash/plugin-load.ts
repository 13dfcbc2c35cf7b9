/**
 * A plugin that an admin switches on and off while servers die, with a tool that writes: each call leaves its id in a
 * file outside the database.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { PluginDocument, UpdatePluginDocument } from '../generated/graphql.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'
import { StormClient } from './storm-client.ts'

export interface PluginLoadOptions {
  readonly home: string
  /** The file to which the tool appends. */
  readonly toolMarks: string
  readonly token: string
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly random: SeededRandom
}

/** What a message says for the tool to be called. */
export function callOf(id: string): string {
  return `tool: ${NAME}__mark ${JSON.stringify({ id })}`
}

const NAME = 'marker'
const REST_MS = 60_000
/** Mostly it is on: a call needs it from the turn's beginning to its own. */
const ON_MS = { least: 1500, most: 4000 } as const
const OFF_MS = { least: 0, most: 600 } as const

export class PluginLoad {
  readonly #options: PluginLoadOptions
  readonly #client: StormClient
  #switched = 0

  constructor(options: PluginLoadOptions) {
    this.#options = options
    this.#client = new StormClient({ ...options, name: NAME, random: options.random.fork() })
    const folder = join(options.home, 'plugins', NAME)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'plugin.ts'), moduleOf(options.toolMarks))
  }

  get complaints(): readonly string[] {
    return this.#client.complaints
  }

  /** How often a server said that it was switched. */
  get switched(): number {
    return this.#switched
  }

  /** Switches it until `signal` aborts. */
  async toggle(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const plugin = await this.#read()
      if (plugin !== null) await this.#switch(!plugin.enabled, plugin.version)
      const { least, most } = plugin?.enabled === false ? ON_MS : OFF_MS
      await sleep(this.#options.random.between(least, most))
    }
  }

  /** Switches it on; what is wrong when it does not come to run. */
  async settle(): Promise<string[]> {
    const tooLateMs = performance.now() + REST_MS
    let seen = 'no server answered'
    while (performance.now() < tooLateMs) {
      const plugin = await this.#read()
      if (plugin?.enabled === true && (plugin.status === 'READY' || plugin.status === 'DEGRADED')) return []
      if (plugin?.enabled === false) await this.#switch(true, plugin.version)
      if (plugin !== null) seen = `${plugin.enabled ? 'on' : 'off'}, ${plugin.status}`
      await sleep(200)
    }
    return [`the plugin was switched on and does not run: ${seen}`]
  }

  async #read(): Promise<{ enabled: boolean; version: number; status: string } | null> {
    const reply = await this.#client.request((client) => client.request(PluginDocument, { name: NAME }))
    if (reply !== null && reply.errors.length > 0) this.#client.isExpected('plugin', reply)
    return reply?.data?.plugin ?? null
  }

  /** One that was committed though its caller had no answer is seen with the next poll. */
  async #switch(enabled: boolean, version: number): Promise<void> {
    const input = { name: NAME, enabled, version }
    const reply = await this.#client.request((client) => client.request(UpdatePluginDocument, { input }))
    const result = reply?.data?.updatePlugin
    if (result?.__typename === 'UpdatePluginPayload') this.#switched += 1
    else if (reply !== null && result?.__typename !== 'ConflictRefusal') this.#client.isExpected('updatePlugin', reply)
  }
}

function moduleOf(toolMarks: string): string {
  return `import { appendFileSync } from 'node:fs'
import { definePlugin, z } from 'factotum/plugin'
export default definePlugin({
  name: '${NAME}', version: '1.0.0', api: 1, title: 'Marker', description: 'Marks.',
  tools: { mark: { description: 'Marks.', effect: 'WRITE', arguments: z.object({ id: z.string() }), run: ({ id }) => {
    appendFileSync(${JSON.stringify(toolMarks)}, id + '\\n')
    return 'marked'
  } } },
})
`
}

/** A call of the tool as its row tells of it. */
export interface FinalCall {
  readonly id: string
  readonly status: string
}

/** Of these sessions, and of what they have delegated. */
export async function readFinalCalls(databaseUrl: string, sessionIds: readonly string[]): Promise<FinalCall[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<FinalCall>(CALLS, [sessionIds])
    return rows
  } finally {
    await client.end()
  }
}

const CALLS = `SELECT args->>'id' AS id, status FROM tasks
  WHERE (session_id = ANY($1) OR session_id IN (SELECT child_id FROM delegations WHERE session_id = ANY($1)))
    AND type = 'TOOL' AND tool = '${NAME}__mark'`

/** What was called was called once; what is said to be done was done, and what is said to have failed was not. */
export function judgeCalls(calls: readonly FinalCall[], marks: readonly string[]): string[] {
  const runs = new Map<string, number>()
  for (const mark of marks) runs.set(mark, (runs.get(mark) ?? 0) + 1)
  const twice = [...runs].filter(([, count]) => count > 1).map(([id]) => `the tool was called twice for ${id}`)
  const known = new Set(calls.map(({ id }) => id))
  const unknown = [...runs.keys()].filter((id) => !known.has(id)).map((id) => `nothing tells of the call for ${id}`)
  const wrong = calls.flatMap(({ id, status }) => {
    const isMarked = runs.has(id)
    if (status === 'DONE' && !isMarked) return [`the call for ${id} is done, and was not made`]
    return status === 'FAILED' && isMarked ? [`the call for ${id} has failed, and was made`] : []
  })
  return [...twice, ...unknown, ...wrong]
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
