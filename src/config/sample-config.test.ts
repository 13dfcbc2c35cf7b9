import { describe, expect, test } from 'vitest'
import { parseConfig } from './parse-config.ts'
import { sampleConfig } from './sample-config.ts'
import { providerSchema } from './schema/provider.ts'
import { modelsSchema, priceSchema, tokenSchema, userSchema } from './schema/schema.ts'
import { describeSettings } from './schema/settings-schema.ts'

const sample = sampleConfig('a'.repeat(64))
const uncommented = sample.replaceAll(/^#(?=[^\s#])/gm, '')

describe('the commented config.toml', () => {
  test('is valid as it is, and without warnings', () => {
    expect(parseConfig(sample, { production: false })).toMatchObject({ kind: 'valid', warnings: [] })
  })

  test('is valid with every line uncommented', () => {
    expect(uncommented).not.toBe(sample)
    const parsed = parseConfig(uncommented, { production: false })
    expect(parsed).toMatchObject({ kind: 'valid', warnings: [] })
    expect(parsed.kind === 'valid' && [...parsed.config.providers.keys()]).toEqual(['openrouter'])
  })

  test('uncommenting the settings changes none of them: they are the defaults', () => {
    const settings = sample.slice(sample.indexOf('[settings]')).replaceAll(/^#(?=[^\s#])/gm, '')
    const before = parseConfig(sample, { production: false })
    const after = parseConfig(sample.slice(0, sample.indexOf('[settings]')) + settings, { production: false })
    expect(settings).toMatch(/^max_queued = 100$/m)
    expect(after).toEqual(before)
  })

  test.each(describeSettings(false))('explains the setting $key', ({ key, description }) => {
    expect(description).not.toBe('')
    expect(sample).toContain(`# ${description}\n#${key} = `)
  })

  const keys = Object.entries({ tokenSchema, userSchema, providerSchema, modelsSchema, priceSchema }).flatMap(
    ([schema, { shape }]) =>
      Object.entries(shape).map(([key, field]) => ({ schema, key, text: field.description ?? '' })),
  )
  test.each(keys)('explains $key of $schema', ({ key, text }) => {
    expect(text).not.toBe('')
    expect(sample).toContain(`#   ${key.padEnd(12)} ${text}\n`)
  })
})
