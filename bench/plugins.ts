/**
 * (n) What plugins cost a turn that they only watch: a plan's turn with none enabled, and with ten that have every hook
 * and do nothing in it, each in its thread. Two servers take turns in short rounds, as in (i).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOOK_NAMES } from '../src/plugin-api/hook-inputs.ts'
import { answerTimes, compare, WARM_UP_TURNS, type Size } from './history.ts'
import { JsonClient } from './json-client.ts'
import { Stage, TOKEN } from './stage.ts'
import type { Row } from './table.ts'

const PLUGINS = Array.from({ length: 10 }, (_, n) => `idle-${n}`)
const ENABLE = `mutation ($name: String!) { updatePlugin(input: { name: $name, enabled: true, version: 1 }) { __typename } }`
const STATUS = `{ plugins(first: 50) { edges { node { name status } } } }`

export async function measurePlugins(size: Size): Promise<Row[]> {
  await using without = await Stage.start()
  await using beside = await Stage.start()
  await enablePlugins(beside)
  for (const stage of [without, beside]) await answerTimes(stage, 'cli:warm', WARM_UP_TURNS)
  const cases = [
    { name: 'without a plugin', run: (round: number) => answerTimes(without, `cli:plugins-${round}`, size.turns) },
    { name: 'with ten no-op plugins', run: (round: number) => answerTimes(beside, `cli:plugins-${round}`, size.turns) },
  ]
  // The stages stand until it is measured: not "return compare…".
  return await compare(cases, size, 'n')
}

async function enablePlugins({ home, url }: Stage): Promise<void> {
  for (const name of PLUGINS) {
    const folder = join(home, 'plugins', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'plugin.ts'), moduleOf(name))
  }
  const http = new JsonClient(TOKEN)
  await until(http, url, 'DISABLED')
  for (const name of PLUGINS) await http.post(`${url}/graphql`, { query: ENABLE, variables: { name } })
  await until(http, url, 'READY')
  http.close()
}

function moduleOf(name: string): string {
  const hooks = HOOK_NAMES.map((hook) => `${hook}: () => undefined`).join(', ')
  const said = `name: '${name}', version: '1.0.0', api: 1, title: 'Idle', description: 'Does nothing.'`
  return `import { definePlugin } from 'factotum/plugin'
export default definePlugin({ ${said}, events: ['turn_completed', 'task_update'], hooks: { ${hooks} } })
`
}

interface Statuses {
  readonly data: {
    readonly plugins: { readonly edges: readonly { readonly node: { name: string; status: string } }[] }
  }
}

async function until(http: JsonClient, url: string, status: string): Promise<void> {
  for (;;) {
    const { data } = await http.post<Statuses>(`${url}/graphql`, { query: STATUS })
    const ready = data.plugins.edges.filter(({ node }) => PLUGINS.includes(node.name) && node.status === status)
    if (ready.length === PLUGINS.length) return
    await sleep(200)
  }
}
