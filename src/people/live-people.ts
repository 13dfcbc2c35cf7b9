/**
 * The running configuration with the people that stand in the database, which every process holds in memory: no request
 * waits for a read. It is renewed when config.toml changes, when the doorbell tells of a change, and by a poll of one
 * number each second, should that have been missed; and when a token is over.
 *
 * What must hold: what config.toml declares holds at once and without the database; what was read last stays while the
 * database is away, but no token outlives its time.
 */
import { nextExpiry, withPeople, type StoredPeople } from '../config/access/with-people.ts'
import type { Config, LiveConfig } from '../config/config.ts'
import type { LiveConfigFile } from '../config/live-config.ts'
import { isOutage } from '../core/errors.ts'
import type { Doorbell } from '../events/doorbell.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Timing } from '../config/timing.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import type { Logger } from '../platform/logger.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import type { Database } from '../store/database.ts'
import { declarePeople } from '../store/people/declare-people.ts'
import { readPeople, readPeopleVersion } from '../store/people/read-people.ts'
import { noteTokenUses } from '../store/people/token-uses.ts'

export interface LivePeopleOptions {
  readonly file: Pick<LiveConfigFile, 'current' | 'onChange'>
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'on' | 'ring'>
  readonly timing: Pick<Timing, 'peoplePollMs' | 'tokenUsesMs'>
  readonly clock: Clock
  readonly logger: Logger
}

export class LivePeople implements LiveConfig {
  readonly #options: LivePeopleOptions
  readonly #listeners = new Set<(config: Config) => void>()
  readonly #cleanups: (() => void)[] = []
  readonly #reads = new Coalesced(() => this.#read())
  readonly #poll: Periodic
  /** Token's name → when it was used, since that was last written. */
  #uses = new Map<string, Date>()
  #usesDueMs: number
  #stored: StoredPeople = { users: [], aliases: [], tokens: [], logins: [] }
  #version = ''
  #expiry: Date | null = null
  /** The file has changed since it was last declared. */
  #isUndeclared = true
  #config: Config

  private constructor(options: LivePeopleOptions) {
    this.#options = options
    this.#config = options.file.current()
    const { timing, clock, logger } = options
    this.#usesDueMs = clock.monotonicMs() + timing.tokenUsesMs
    const tick = (): Promise<void> => this.#tick()
    // Tried again as often while the database is away: tokens end at their time then, too.
    const backoff = { firstMs: timing.peoplePollMs, maxMs: timing.peoplePollMs }
    this.#poll = new Periodic({
      name: 'poll of people',
      everyMs: timing.peoplePollMs,
      tick,
      isOutage,
      backoff,
      clock,
      logger,
    })
  }

  /** Resolves when the people are known. Rejects with DATABASE_UNAVAILABLE. */
  static async start(options: LivePeopleOptions): Promise<LivePeople> {
    const people = new LivePeople(options)
    await people.#declare()
    await people.#read()
    const { file, doorbell } = options
    const renew = (): void => people.#poll.wake()
    people.#cleanups.push(
      file.onChange(() => people.#fileChanged()),
      doorbell.on('people', renew),
      doorbell.on('resync', renew),
    )
    people.#poll.start()
    return people
  }

  current(): Config {
    return this.#config
  }

  /** Calls `listener` after each replacement; the returned function stops that. */
  onChange(listener: (config: Config) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What config.toml declares, alone. */
  declared(): Config {
    return this.#options.file.current()
  }

  /**
   * After a commit that changed people: here it holds once this resolves, elsewhere soon. Never rejects: what could not
   * be read is found by the poll.
   */
  async changed(): Promise<void> {
    this.#options.doorbell.ring({ kind: 'people' })
    await this.#reads.run().catch((error: unknown) => {
      this.#options.logger.warn({ error: reasonOf(error) }, 'a change of people could not be read; retrying')
    })
  }

  /** Should another process know more already. Never rejects: then what is known stays. */
  async renew(): Promise<void> {
    await this.#reads.run().catch((error: unknown) => {
      this.#options.logger.warn({ error: reasonOf(error) }, 'people could not be read; retrying')
    })
  }

  /** The token was used, now. */
  noteUse(tokenName: string): void {
    this.#uses.set(tokenName, this.#options.clock.now())
  }

  /** Writes what is not written yet. Repeatable; never rejects. */
  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    await this.#poll.stop()
    await this.#noteUses().catch((error: unknown) => {
      this.#options.logger.warn({ error: reasonOf(error) }, 'last uses of tokens could not be written; they are lost')
    })
  }

  #fileChanged(): void {
    this.#isUndeclared = true
    this.#renew()
    this.#poll.wake()
  }

  async #tick(): Promise<void> {
    const { clock } = this.#options
    if (this.#expiry !== null && this.#expiry <= clock.now()) this.#renew()
    if (this.#isUndeclared) await this.#declare()
    await this.#reads.run()
    if (clock.monotonicMs() >= this.#usesDueMs) await this.#noteUses()
  }

  async #declare(): Promise<void> {
    const { database, clock, doorbell, file } = this.#options
    this.#isUndeclared = false
    try {
      await declarePeople(database, file.current(), clock.now())
      doorbell.ring({ kind: 'people' })
    } catch (error) {
      this.#isUndeclared = true
      throw error
    }
  }

  async #read(): Promise<void> {
    const { database } = this.#options
    const version = await readPeopleVersion(database)
    if (version === this.#version) return
    this.#stored = await readPeople(database)
    this.#version = version
    this.#renew()
  }

  #renew(): void {
    const { clock, file, logger } = this.#options
    const now = clock.now()
    this.#expiry = nextExpiry(this.#stored, now)
    this.#config = withPeople(file.current(), this.#stored, now)
    for (const listener of this.#listeners) {
      try {
        listener(this.#config)
      } catch (error) {
        logger.error({ err: error }, 'configuration listener failed; the other listeners still run')
      }
    }
  }

  async #noteUses(): Promise<void> {
    const { database, timing, clock } = this.#options
    this.#usesDueMs = clock.monotonicMs() + timing.tokenUsesMs
    const uses = this.#uses
    this.#uses = new Map()
    try {
      await noteTokenUses(database, uses)
    } catch (error) {
      this.#uses = new Map([...uses, ...this.#uses])
      throw error
    }
  }
}
