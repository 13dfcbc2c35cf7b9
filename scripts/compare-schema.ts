/**
 * Compares schema.graphql with the last release's (schema-of-last-release.graphql in docs) and says which changes break
 * clients. CI runs it: a change that breaks must be told under "### Breaking" of the CHANGELOG's "Unreleased", or this
 * fails. A release copies schema.graphql there: `npm run compare-schema -- --release`.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compareSchemas, declaresBreaking } from './schema-changes.ts'

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const now = path('schema.graphql')
const last = path('docs/schema-of-last-release.graphql')

if (process.argv.includes('--release')) {
  copyFileSync(now, last)
  console.log('docs/schema-of-last-release.graphql is the schema as it is now')
} else if (!existsSync(last)) {
  console.log('there is no release yet: nothing to compare schema.graphql with')
} else {
  const { breaking, others } = compareSchemas(readFileSync(last, 'utf8'), readFileSync(now, 'utf8'))
  for (const change of breaking) console.log(`breaks:  ${change}`)
  for (const change of others) console.log(`changes: ${change}`)
  console.log(`${breaking.length} changes since the last release break clients, ${others.length} do not`)
  if (breaking.length > 0 && !declaresBreaking(readFileSync(path('CHANGELOG.md'), 'utf8'))) {
    console.error('Tell of them under "### Breaking" of "## Unreleased" in CHANGELOG.md, or take them back.')
    process.exitCode = 1
  }
}
