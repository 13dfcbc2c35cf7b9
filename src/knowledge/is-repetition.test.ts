import { describe, expect, test } from 'vitest'
import { isRepetition } from './is-repetition.ts'

/** The figures are PostgreSQL's similarity(). */
describe('a repetition', () => {
  test.each([
    [0.89, 'the nightly builds run at 02:00 utc', 'nightly builds run at 02:00 utc'],
    [0.91, 'the repository uses pnpm as package manager', 'the repository uses pnpm as its package manager'],
    [0.81, 'the api server listens on port 8080', 'the api listens on port 8080'],
    [0.81, 'the api listens on port 8080', 'the api server listens on port 8080'],
    [0.81, 'api listens on tcp port 8080', 'the api listens on port 8080'],
    [0.84, 'ada prefers to get answers in german', 'ada prefers answers in german'],
    [0.89, 'ada prefers german answers', 'ada prefers answers in german but english code'],
    [0.81, 'deployment to production happens on thursday', 'deployments to production happen on thursdays'],
    [0.74, 'the tests run with vitest', 'tests are run with vitest'],
    [0.89, 'backups are stored in bucket acme-backups', 'backups are stored in the bucket acme-backups'],
    [0.9, 'the shop releases are tagged on fridays', 'releases of the shop are tagged on fridays'],
    [1, 'the same', 'the same'],
  ])('%f: %s = %s', (similarity, text, known) => {
    expect(isRepetition(text, known, similarity)).toBe(true)
  })
})

describe('not a repetition', () => {
  test.each([
    [0.87, 'the api listens on port 8081', 'the api listens on port 8080'],
    [0.92, 'the repository uses npm as its package manager', 'the repository uses pnpm as its package manager'],
    [0.87, 'redis is not used for sessions', 'redis is used for sessions'],
    [0.87, 'redis is used for sessions', 'redis is not used for sessions'],
    [0.81, 'deployments to production happen on tuesdays', 'deployments to production happen on thursdays'],
    [0.77, 'ben prefers answers in german', 'ada prefers answers in german'],
    [0.74, 'tests are run with jest', 'tests are run with vitest'],
    [0.71, 'logs are stored in the bucket acme-logs', 'backups are stored in the bucket acme-backups'],
    [0.7, 'the staging cluster has three nodes in dublin', 'the staging cluster has three nodes in frankfurt'],
    [0.68, 'the file secrets.toml is read at start', 'the file config.toml is read at start'],
    [0.67, 'the production cluster has three nodes in frankfurt', 'the staging cluster has three nodes in frankfurt'],
    [0.75, 'tests are run with vitest on node-24', 'tests are run with vitest'],
    [0.9, 'production-eu is down on sundays', 'production-us is down on sundays'],
    [1, 'alice reports to bob', 'bob reports to alice'],
    [0.7, 'tests are run with vitest after every single commit', 'tests are run with vitest'],
    [0.5, 'the main branch is called trunk', 'the main branch is protected'],
  ])('%f: %s, %s', (similarity, text, known) => {
    expect(isRepetition(text, known, similarity)).toBe(false)
  })
})
