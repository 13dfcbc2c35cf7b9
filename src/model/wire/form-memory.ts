/**
 * What was found out about each model: in what form it takes requests, and whether it begins its answers in the middle
 * of its reasoning. Read once by each process, and kept for the others and over restarts. What must hold: a form is
 * remembered only when a request in it was not refused, for the very settings of its provider; no call fails over it.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { RequestSettings } from '../../config/config.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'
import type { RequestShape } from './request-shape.ts'

/** A model under one wording of its provider's section. */
export interface ModelKey {
  readonly provider: string
  readonly model: string
  /** A digest, in hexadecimal. */
  readonly settings: string
}

/** What is kept for all processes; both may reject. */
export interface FormStore {
  /** What `merge` was given, or null. */
  read(key: ModelKey): Promise<unknown>
  /** Adds to what is known, or replaces what was known under other settings. */
  merge(key: ModelKey, form: object): Promise<void>
}

const formSchema = z
  .object({
    structuredOutput: z.enum(['json_schema', 'json_object', 'tool', 'prompt']),
    streams: z.boolean(),
    asksUsage: z.boolean(),
    systemRole: z.enum(['system', 'developer', 'user']),
    maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']),
    callIds: z.enum(['given', 'short']),
    thoughtMark: z.enum(['none', 'reasoning_content', 'thought_signature']),
    afterTools: z.enum(['user', 'assistant']),
    beginsInThought: z.boolean(),
  })
  .partial()

interface ModelForm {
  /** What differs from what is usual. */
  readonly shape: Partial<RequestShape>
  /** Its text must be whole before any of it is given. */
  readonly beginsInThought: boolean
}

const NOTHING_KNOWN: ModelForm = { shape: {}, beginsInThought: false }
/** Sessions may name models of their own: of more than so many the oldest is read again. */
const MAX_MODELS = 200

/** What of an endpoint makes a request another one; the key itself does not. */
interface Reached {
  readonly baseUrl: string
  readonly apiKeyEnv: string | null
  readonly api: string
  readonly request: RequestSettings
}

/** The key of a model behind an endpoint. */
export function keyOf(
  { baseUrl, apiKeyEnv, api, request }: Reached,
  { provider, model }: Pick<ModelKey, 'provider' | 'model'>,
): ModelKey {
  const settings = JSON.stringify([baseUrl, apiKeyEnv, api, request])
  return { provider, model, settings: createHash('sha256').update(settings).digest('hex') }
}

/** One for each process. */
export class FormMemory {
  readonly #store: FormStore | null
  readonly #logger: Logger
  readonly #known = new Map<string, ModelForm>()

  /** `store` null: known to this process alone. */
  constructor({ store, logger }: { readonly store: FormStore | null; readonly logger: Logger }) {
    this.#store = store
    this.#logger = logger
  }

  /** Never rejects: what cannot be read is read again at the next call. */
  async formOf(key: ModelKey): Promise<ModelForm> {
    const kept = this.#known.get(nameOf(key))
    if (kept !== undefined || this.#store === null) return kept ?? NOTHING_KNOWN
    try {
      const read = formSchema.safeParse(await this.#store.read(key))
      // What was found out in the meantime is newer.
      return this.#known.get(nameOf(key)) ?? this.#keep(key, read.success ? formFrom(read.data) : NOTHING_KNOWN)
    } catch (error) {
      this.#logger.warn(
        { ...key, error: reasonOf(error) },
        'the form of a model cannot be read; the usual one is tried',
      )
      return NOTHING_KNOWN
    }
  }

  /** `to` was not refused; what is as in `from` was not found out by this request. */
  async remember(
    key: ModelKey,
    { from, to }: { readonly from: RequestShape; readonly to: RequestShape },
  ): Promise<void> {
    const same = new Set<string>(
      Object.entries(from).flatMap(([name, value]) => (value === Reflect.get(to, name) ? [name] : [])),
    )
    const shape: Partial<RequestShape> = Object.fromEntries(Object.entries(to).filter(([name]) => !same.has(name)))
    await this.#add(key, { shape })
  }

  /** An answer began in the middle of its reasoning. */
  async seeThought(key: ModelKey): Promise<void> {
    if (this.#known.get(nameOf(key))?.beginsInThought !== true) await this.#add(key, { beginsInThought: true })
  }

  async #add(key: ModelKey, found: Partial<ModelForm>): Promise<void> {
    const { shape, beginsInThought } = this.#known.get(nameOf(key)) ?? NOTHING_KNOWN
    const now = { beginsInThought, ...found, shape: { ...shape, ...found.shape } }
    this.#keep(key, now)
    try {
      await this.#store?.merge(key, { ...now.shape, ...(now.beginsInThought ? { beginsInThought: true } : {}) })
    } catch (error) {
      this.#logger.warn({ ...key, error: reasonOf(error) }, 'the form of a model is not kept; this process knows it')
    }
  }

  #keep(key: ModelKey, form: ModelForm): ModelForm {
    this.#known.set(nameOf(key), form)
    const [oldest] = this.#known.size > MAX_MODELS ? this.#known.keys() : []
    if (oldest !== undefined) this.#known.delete(oldest)
    return form
  }
}

function nameOf({ provider, model, settings }: ModelKey): string {
  return `${provider}:${model} ${settings}`
}

function formFrom({ beginsInThought = false, ...shape }: z.output<typeof formSchema>): ModelForm {
  // As JSON, it holds no undefined.
  return { shape: shape as Partial<RequestShape>, beginsInThought }
}
