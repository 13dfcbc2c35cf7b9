import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEnvironment, type HomeVariables } from './environment.ts'

describe('the environment', () => {
  test('has defaults, and counts an empty variable as not set', () => {
    const defaults = {
      databaseUrl: null,
      databaseConnections: 18,
      port: 4000,
      host: '127.0.0.1',
      home: null,
      logLevel: 'info',
      production: false,
    }
    expect(parseEnvironment({})).toEqual(defaults)
    const empty = { DATABASE_URL: '', PORT: '', HOST: '', LOG_LEVEL: '', NODE_ENV: '' }
    expect(parseEnvironment(empty)).toEqual(defaults)
  })

  test('is read, with the home made absolute', () => {
    const env = {
      DATABASE_URL: 'postgresql:///factotum?host=/run/postgresql',
      DATABASE_CONNECTIONS: '8',
      PORT: '0',
      HOST: '::',
      FACTOTUM_HOME: 'data/home',
      LOG_LEVEL: 'debug',
      NODE_ENV: 'production',
    }
    expect(parseEnvironment(env)).toEqual({
      databaseUrl: 'postgresql:///factotum?host=/run/postgresql',
      databaseConnections: 8,
      port: 0,
      host: '::',
      home: join(process.cwd(), 'data/home'),
      logLevel: 'debug',
      production: true,
    })
  })

  test('is overruled by flags', () => {
    const flags = { port: '5000', host: '0.0.0.0', home: '/srv/factotum' }
    expect(parseEnvironment({ PORT: 'x', HOST: 'y', FACTOTUM_HOME: '/z' }, flags)).toMatchObject({
      port: 5000,
      host: '0.0.0.0',
      home: '/srv/factotum',
    })
  })

  test.each([
    [{ PORT: '65536' }, 'PORT: must be a port from 0 to 65535; it is "65536"'],
    [{ PORT: '-1' }, 'PORT: must be a port'],
    [{ PORT: '4e3' }, 'PORT: must be a port'],
    [{ HOST: 'not a host' }, 'HOST: must be an address or a host name'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: must be a PostgreSQL address such as "postgres://'],
    [{ DATABASE_URL: 'postgres://me:a/b@host/db' }, 'of a password, "/", "?", "#" and "%" are written %2F'],
    [{ DATABASE_URL: 'postgres://me:a%b@host/db' }, 'DATABASE_URL: must be a PostgreSQL address'],
    [{ DATABASE_CONNECTIONS: '7' }, 'DATABASE_CONNECTIONS: must be a number from 8 to 1000; it is "7"'],
    [{ DATABASE_CONNECTIONS: 'many' }, 'DATABASE_CONNECTIONS: must be a number from 8'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be one of "fatal", "error"'],
    [{ FACTOTUM_HOME: '' }, 'FACTOTUM_HOME: must be the path of a folder; unset it for the default; it is ""'],
    [{ NODE_ENV: 'prod' }, 'NODE_ENV: must be one of "development", "production", "test"; it is "prod"'],
  ])('%o is refused by name', (env, message) => {
    expect(() => parseEnvironment(env)).toThrow(message)
  })

  const file = (...lines: [string, string][]): HomeVariables => ({ path: '/h/.env', lines: new Map(lines) })

  test('overrules the .env of the home', () => {
    const lines = file(['DATABASE_URL', 'postgres://file/a'], ['PORT', '1'], ['HOST', 'file'], ['OTHER', 'x'])
    expect(parseEnvironment({ HOST: 'env', PORT: '2' }, { port: '3' }, lines)).toMatchObject({
      databaseUrl: 'postgres://file/a',
      host: 'env',
      port: 3,
    })
    expect(parseEnvironment({ DATABASE_URL: '' }, {}, lines).databaseUrl).toBe('postgres://file/a')
  })

  test('says when what is wrong stands in .env, and that the home cannot', () => {
    const attempt = (...lines: [string, string][]): unknown => parseEnvironment({}, {}, file(...lines))
    expect(() => attempt(['DATABASE_URL', 'mysql://x'])).toThrow('DATABASE_URL (in /h/.env): must be a PostgreSQL')
    expect(() => attempt(['FACTOTUM_HOME', '/other'])).toThrow('/h/.env: 1 problem\n  FACTOTUM_HOME: cannot stand in')
  })

  test('names every variable that is wrong, a flag by its own name, and never shows a password', () => {
    const env = { DATABASE_URL: 'pg://me:secret@host/db', LOG_LEVEL: 'loud' }
    const attempt = (): unknown => parseEnvironment(env, { port: 'many' })
    expect(attempt).toThrow(/3 problems\n {2}DATABASE_URL: .*\n {2}--port: .*\n {2}LOG_LEVEL: /)
    expect(attempt).not.toThrow(/secret/)
  })
})
