/**
 * In what form models take requests, for all processes and over restarts: what a provider refused once it is not asked
 * again.
 */
import type { Database } from './database.ts'

interface Key {
  readonly provider: string
  readonly model: string
  /** Of the provider's settings, in hexadecimal: with others, the form is not known. */
  readonly settings: string
}

const FRESH = `settings_sha256 = decode($3, 'hex') AND found_at > now() - interval '30 days'`

const READ = {
  name: 'model-forms.read',
  text: `SELECT form FROM model_forms WHERE provider = $1 AND model = $2 AND ${FRESH}`,
}

const IS_FRESH = `m.settings_sha256 = EXCLUDED.settings_sha256 AND m.found_at > now() - interval '30 days'`

/** Two processes may have found out different things; of what has aged nothing is kept. */
const MERGE = {
  name: 'model-forms.merge',
  text: `INSERT INTO model_forms AS m (provider, model, settings_sha256, form) VALUES ($1, $2, decode($3, 'hex'), $4)
    ON CONFLICT (provider, model) DO UPDATE SET
      form = CASE WHEN ${IS_FRESH} THEN m.form || EXCLUDED.form ELSE EXCLUDED.form END,
      found_at = CASE WHEN ${IS_FRESH} THEN m.found_at ELSE EXCLUDED.found_at END,
      settings_sha256 = EXCLUDED.settings_sha256`,
}

/** Both reject with DATABASE_UNAVAILABLE. */
export function storedForms(database: Database): {
  read(key: Key): Promise<unknown>
  merge(key: Key, form: object): Promise<void>
} {
  return {
    /** Null: none is known; after 30 days the provider is asked anew, which may have learned another form. */
    read: async ({ provider, model, settings }) => {
      const [row] = await database.query<{ form: unknown }>(READ, [provider, model, settings])
      return row?.form ?? null
    },
    merge: async ({ provider, model, settings }, form) => {
      await database.query(MERGE, [provider, model, settings, JSON.stringify(form)])
    },
  }
}
