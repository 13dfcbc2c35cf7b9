/** What migrations keep from those who use the tables meanwhile. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Those before it are applied as they are. */
const FIRST = '20261130233000_plain_facts'
/** Keeps all readers from its table until the migration ends, and with them every turn. */
const DROPPED_BEFORE_BUILT = /^DROP INDEX[^]*^CREATE (UNIQUE )?INDEX/m

test('a migration drops an index behind all that it builds, which takes long', () => {
  const names = readdirSync('prisma/migrations').filter((name) => /^\d/.test(name) && name >= FIRST)
  expect(names).not.toEqual([])
  const blocking = names.filter((name) =>
    DROPPED_BEFORE_BUILT.test(readFileSync(`prisma/migrations/${name}/migration.sql`, 'utf8')),
  )
  expect(blocking).toEqual([])
})
