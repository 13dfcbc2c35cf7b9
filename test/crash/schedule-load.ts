/**
 * Schedules under load: each becomes due again and again, as time would have it (the row is moved into the past, now
 * and then by hours, as if nobody had been there), and a user sets them off besides. Their commands leave marks. What
 * became due and what was set off is kept for the judge.
 */
import pg from 'pg'
import { CreateScheduleDocument, TriggerScheduleDocument, type ScheduleMode } from '../generated/graphql.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'
import { StormClient } from './storm-client.ts'

export interface ScheduleLoadOptions {
  readonly schedules: number
  readonly run: string
  readonly token: string
  /** The file to which commands append the name of their schedule. */
  readonly marks: string
  /** Past the servers, and past what cuts them off. */
  readonly databaseUrl: string
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly random: SeededRandom
}

export interface StormSchedule {
  readonly id: string
  readonly name: string
  readonly mode: ScheduleMode
}

/** That a schedule became due. */
export interface Due {
  readonly scheduleId: string
  readonly at: Date
}

/** Regularly it would fire once a year. */
const CRON = '0 0 1 1 *'
const RETRY_MS = 100
const TRIGGER_CHANCE = 0.3
const MISSED_CHANCE = 0.3
const MISSED_S = 3 * 3600

export class ScheduleLoad {
  readonly schedules: StormSchedule[] = []
  readonly due: Due[] = []
  /** How often each was set off: tried, and said to have worked. */
  readonly triggersTried = new Map<string, number>()
  readonly triggersAccepted = new Map<string, number>()
  readonly #options: ScheduleLoadOptions
  readonly #client: StormClient

  constructor(options: ScheduleLoadOptions) {
    this.#options = options
    this.#client = new StormClient({ ...options, name: 'schedules', random: options.random.fork() })
  }

  get complaints(): readonly string[] {
    return this.#client.complaints
  }

  /** Creates them, then makes them fire until `signal` aborts, each at least once. */
  async fire(signal: AbortSignal): Promise<void> {
    const { schedules, random } = this.#options
    while (this.schedules.length < schedules) await this.#create(this.schedules.length + 1)
    for (const schedule of this.schedules) await this.#untilDue(schedule)
    while (!signal.aborted) {
      const schedule = random.pick(this.schedules)
      if (random.chance(TRIGGER_CHANCE)) await this.#trigger(schedule)
      else await this.#makeDue(schedule)
      await sleep(random.between(50, 500))
    }
  }

  async #create(n: number): Promise<void> {
    const { run, marks, random } = this.#options
    const name = `storm-${run}-${n}`
    const mode = n % 2 === 0 ? ('FRESH' as const) : ('DEDICATED' as const)
    const content = `run: echo ${name} >> ${marks}; sleep 0.${random.between(0, 4)}\nThis is schedule ${name}.`
    const input = { name, content, cron: CRON, mode }
    const reply = await this.#client.request((client) => client.request(CreateScheduleDocument, { input }))
    const result = reply?.data?.createSchedule
    if (result?.__typename === 'CreateSchedulePayload') this.schedules.push({ id: result.schedule.id, name, mode })
    else if (reply !== null) this.#client.isExpected('createSchedule', reply)
    // What nobody knows to be there never fires.
    if (result?.__typename !== 'CreateSchedulePayload') await sleep(RETRY_MS)
  }

  async #untilDue(schedule: StormSchedule): Promise<void> {
    while (!(await this.#makeDue(schedule))) await sleep(RETRY_MS)
  }

  /** False: it is due already, or nobody knows whether it is. */
  async #makeDue({ id }: StormSchedule): Promise<boolean> {
    const missedS = this.#options.random.chance(MISSED_CHANCE) ? MISSED_S : 0
    const client = new pg.Client({ connectionString: this.#options.databaseUrl })
    // The database may be away.
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ at: Date }>(MAKE_DUE, [id, missedS])
      for (const { at } of rows) this.due.push({ scheduleId: id, at })
      return rows.length > 0
    } catch {
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async #trigger({ id }: StormSchedule): Promise<void> {
    count(this.triggersTried, id)
    const reply = await this.#client.request((client) => client.request(TriggerScheduleDocument, { id }))
    const result = reply?.data?.triggerSchedule
    if (result?.__typename === 'TriggerSchedulePayload') count(this.triggersAccepted, id)
    else if (reply !== null && result?.__typename !== 'ConflictRefusal')
      this.#client.isExpected('triggerSchedule', reply)
  }
}

/** Not while it is due already: each time it became due is to have one run. */
const MAKE_DUE = `UPDATE schedules SET next_run_at = date_trunc('milliseconds', now()) - $2 * interval '1 second', version = version + 1
  WHERE id = $1 AND enabled AND next_run_at > now() RETURNING next_run_at AS at`

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
