/** What no text for people holds: it is for those who run the server to know, and to mend. */
import { describeSettings } from '../../src/config/schema/settings-schema.ts'

/** The settings whose names are no words of every day; an option such as "introspection" is one. */
const KEYS = describeSettings(true).flatMap(({ key }) => (key.includes('_') ? [key] : []))

export const OPERATOR_WORDS: readonly string[] = [
  'base_url',
  'api_key_env',
  'config.toml',
  '.env',
  'FACTOTUM_HOME',
  'DATABASE_URL',
  '[models]',
  '[providers',
  ...KEYS,
]
