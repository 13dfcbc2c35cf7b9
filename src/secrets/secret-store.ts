/**
 * What this process knows of secrets: deploy secrets (the environment, `.env`, config.toml, the database's password)
 * and the ephemeral ones of sessions. Everything that leaves the process is redacted by what this knows; made once by
 * app.ts.
 *
 * What must hold: a secret is known here before any caller gets its value. `.env` is polled every second, so a change
 * holds in every process within that time, and at once where an admin reloads.
 */
import type { ApiKeys } from '../config/access/api-keys.ts'
import type { LiveConfig } from '../config/config.ts'
import type { FoundSecret } from '../core/plan/plan.ts'
import { conflict, type Refusal } from '../core/refusal.ts'
import { isOutage } from '../core/errors.ts'
import { isSecretKey } from '../core/plan/plan-rules.ts'
import type { Clock } from '../platform/clock.ts'
import type { Timing } from '../config/timing.ts'
import type { Logger } from '../platform/logger.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { deployValues, passwordsIn, type KnownValue } from './deploy-values.ts'
import { DeployVariables } from './deploy-variables.ts'
import { EphemeralSecrets } from './ephemeral-secrets.ts'
import { isRedactable, MIN_SECRET_CHARS, Redactor } from './redaction.ts'
import type { SessionSecrets } from './session-secrets.ts'

export interface SecretStoreOptions {
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: LiveConfig
  readonly timing: Pick<Timing, 'secretsPollMs'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * A value that was replaced or taken out may still be in outputs under way and in files, and `.env` may be empty for a
 * moment while it is written anew: so many of them stay hidden, those whose name is gone for so long.
 */
const MAX_FORMER = 500
const FORMER_MS = 24 * 3_600_000

interface FormerValue extends KnownValue {
  /** On the monotonic clock: when its name was seen last. */
  readonly lastMs: number
}

export interface SecretsReloaded {
  readonly kind: 'Reloaded'
  /** Of the deploy secrets. */
  readonly names: readonly string[]
}

/** A deploy secret that is set. The real environment wins over a line of `.env` of the same name. */
export interface KnownSecret {
  readonly name: string
  readonly source: 'ENVIRONMENT' | 'ENV_FILE'
}

export class SecretStore implements ApiKeys {
  readonly #options: SecretStoreOptions
  readonly #variables: DeployVariables
  readonly #ephemeral: EphemeralSecrets
  readonly #stopListening: () => void
  readonly #poll: Periodic
  readonly #listeners = new Set<(names: readonly string[]) => void>()
  /** Values that do not change while the process lives. */
  #fixed: readonly KnownValue[] = []
  /** Name → value, as known now. */
  #values = new Map<string, string>()
  #former: FormerValue[] = []
  #redactor = Redactor.none
  readonly #warnedOf = new Set<string>()
  /** The redactors of sessions, as long as what they are made of stays. */
  readonly #combined = new WeakMap<Redactor, { readonly deploy: Redactor; readonly both: Redactor }>()

  constructor(options: SecretStoreOptions) {
    const { home, env, logger, config, timing, clock } = options
    this.#options = options
    this.#variables = new DeployVariables({ home, env, logger })
    this.#ephemeral = new EphemeralSecrets({
      clock,
      idleTimeoutMs: () => config.current().settings.workerIdleTimeoutMs,
    })
    this.#rebuild()
    this.#stopListening = config.onChange(() => this.#rebuild())
    const tick = async (): Promise<void> => this.#refresh()
    this.#poll = new Periodic({ name: '.env poll', everyMs: timing.secretsPollMs, tick, isOutage, clock, logger })
    this.#poll.start()
  }

  /** Forgets the ephemeral secrets and polls `.env` no more. Repeatable. */
  async stop(): Promise<void> {
    this.#stopListening()
    this.#ephemeral.clear()
    await this.#poll.stop()
  }

  /** The value of a variable: the environment's, else that of `.env` as it is now; null when neither has it. */
  apiKey(name: string): string | null {
    this.#refresh()
    return this.#variables.get(name)
  }

  /** Reads `.env` at once. Refused when it cannot be read: then all stays as it was. */
  reload(): SecretsReloaded | Refusal {
    this.#refresh()
    const { problem } = this.#variables
    if (problem !== null)
      return conflict('UNREADABLE', `.env cannot be read, and the secrets stay as they were: ${problem}`)
    return { kind: 'Reloaded', names: this.#names() }
  }

  /** The deploy secrets as they are known, in the order of the alphabet; reads no file, and gives no value. */
  known(): readonly KnownSecret[] {
    const { env } = this.#options
    return this.#names().map((name) => ({ name, source: isSetIn(env, name) ? 'ENVIRONMENT' : 'ENV_FILE' }))
  }

  /** Of the deploy secrets, in the order of the alphabet. */
  #names(): readonly string[] {
    return [...new Set([...this.#variables.lines.keys(), ...this.#environmentNames()])].sort()
  }

  /**
   * Calls `listener` with the names of the lines of `.env` after each change of it; the returned function stops that.
   */
  onReloaded(listener: (names: readonly string[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Redacts the password in the database's URL from everything that leaves the process. */
  hidePasswordOf(name: string, url: string): void {
    this.#fixed = [...this.#fixed, ...passwordsIn({ name, value: url })]
    this.#rebuild()
  }

  /** Knows the deploy secrets. */
  get redactor(): Redactor {
    return this.#redactor
  }

  /** Knows the deploy secrets and those of the session. */
  redactorOf(sessionId: string): Redactor {
    const own = this.#ephemeral.redactorOf(sessionId)
    if (own.isEmpty) return this.#redactor
    const known = this.#combined.get(own)
    if (known?.deploy === this.#redactor) return known.both
    const both = this.#redactor.with(own)
    this.#combined.set(own, { deploy: this.#redactor, both })
    return both
  }

  /** A line of the log, without any secret of this process: a line may be about any session. */
  redactLine(line: string): string {
    let redacted = this.#redactor.redact(line)
    for (const redactor of this.#ephemeral.redactors()) redacted = redactor.redact(redacted)
    return redacted
  }

  /** The secrets as a turn of this session sees them. */
  forSession(sessionId: string): SessionSecrets {
    return {
      redactor: () => this.redactorOf(sessionId),
      ephemeral: () => this.#ephemeral.valuesOf(sessionId),
      deploy: (name) => this.apiKey(name),
      remember: (found) => this.#remember(sessionId, found),
    }
  }

  /** A run of the session begins; the returned function says that it has ended. Its secrets are kept meanwhile. */
  hold(sessionId: string): () => void {
    return this.#ephemeral.hold(sessionId)
  }

  /** The session is gone, and with it what was said in it. */
  forget(sessionId: string): void {
    this.#ephemeral.forget(sessionId)
  }

  #remember(sessionId: string, found: readonly FoundSecret[]): void {
    const fit = found.filter(({ value }) => isRedactable(value))
    const unfit = found.filter((secret) => !fit.includes(secret)).map(({ key }) => key)
    if (unfit.length > 0) this.#options.logger.warn({ sessionId, keys: unfit }, `secrets not kept: ${TOO_SHORT}`)
    const said = fit.map(({ key, value }) => ({ key: isSecretKey(key) ? key : null, value }))
    this.#ephemeral.remember(sessionId, said)
  }

  #environmentNames(): string[] {
    const { env, config } = this.#options
    return deployValues({ env, dotEnv: new Map(), config: config.current() }).flatMap(({ name }) =>
      Object.hasOwn(env, name) ? [name] : [],
    )
  }

  #refresh(): void {
    const hasChanged = this.#variables.refresh()
    if (!hasChanged && !this.#hasOutlived()) return
    this.#rebuild()
    if (!hasChanged) return
    const names = [...this.#variables.lines.keys()]
    this.#options.logger.info({ names }, 'secrets reloaded from .env')
    for (const listener of this.#listeners) listener(names)
  }

  /** A value whose name is gone has been hidden for long enough. */
  #hasOutlived(): boolean {
    const before = this.#options.clock.monotonicMs() - FORMER_MS
    return this.#former.some(({ name, lastMs }) => lastMs <= before && !this.#values.has(name))
  }

  #rebuild(): void {
    const { env, config, clock } = this.#options
    const sources = { env, dotEnv: this.#variables.lines, config: config.current() }
    const values = [...deployValues(sources), ...this.#fixed]
    this.#warnOfShort(values)
    const now = new Map(values.map(({ name, value }) => [name, value]))
    const nowMs = clock.monotonicMs()
    const replaced = [...this.#values].map(([name, value]) => ({ name, value, lastMs: nowMs }))
    this.#former = [...this.#former, ...replaced]
      .map((former) => (this.#values.has(former.name) ? { ...former, lastMs: nowMs } : former))
      .filter(({ name, value, lastMs }) => now.get(name) !== value && (now.has(name) || nowMs - lastMs < FORMER_MS))
      .slice(-MAX_FORMER)
    this.#values = now
    this.#redactor = Redactor.of([...values, ...this.#former].map(({ value }) => value))
  }

  #warnOfShort(values: readonly KnownValue[]): void {
    const names = values.filter(({ value }) => !isRedactable(value)).map(({ name }) => name)
    const fresh = names.filter((name) => !this.#warnedOf.has(name))
    for (const name of fresh) this.#warnedOf.add(name)
    if (fresh.length > 0) this.#options.logger.warn({ names: fresh }, `not hidden in outputs: ${TOO_SHORT}`)
  }
}

function isSetIn(env: SecretStoreOptions['env'], name: string): boolean {
  return Object.hasOwn(env, name) && env[name] !== ''
}

const TOO_SHORT = `a secret must have at least ${MIN_SECRET_CHARS} characters; shorter ones stand in ordinary texts by chance`
