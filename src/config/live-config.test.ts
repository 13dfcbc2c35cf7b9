import { mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import type { Config } from './config.ts'
import { openLiveConfig, type LiveConfigFile } from './live-config.ts'
import { TIMING } from './timing.ts'

const toml = (messages: number): string => `
[tokens.cli]
token = "the-cli-token"
kind = "user"
user = "marco"
[users.marco]
role = "admin"
[settings]
context_messages = ${messages}
`

/** A log that can be awaited: `line` resolves when a line with this text has been or is being written. */
class Log {
  readonly lines: string[] = []
  readonly #waiting = new Set<() => void>()
  readonly logger = pino({ level: 'trace' }, { write: (line: string) => this.#add(line) })

  #add(line: string): void {
    this.lines.push(line)
    for (const check of this.#waiting) check()
  }

  line(text: string): Promise<string> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = this.lines.find((line) => line.includes(text))
        if (found === undefined) return
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }
}

async function start(initial: string): Promise<{ live: LiveConfigFile; path: string; log: Log }> {
  const folder = await mkdtemp(join(tmpdir(), 'live-config-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'config.toml')
  await writeFile(path, initial)
  const log = new Log()
  const live = await openLiveConfig({ path, production: false, timing: TIMING, logger: log.logger, clock: systemClock })
  onTestFinished(() => live.stop())
  return { live, path, log }
}

function nextChange(live: LiveConfigFile): Promise<Config> {
  return new Promise((resolve) => {
    const stop = live.onChange((config) => {
      stop()
      resolve(config)
    })
  })
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}

describe('the running configuration', () => {
  test('follows a change in place, whole', async () => {
    const { live, path } = await start(toml(1))
    const before = live.current()
    const changed = nextChange(live)
    await writeFile(path, toml(2))
    expect((await changed).settings.contextMessages).toBe(2)
    expect(live.current()).toBe(await changed)
    expect(before.settings.contextMessages).toBe(1)
  })

  test('follows a file that replaces the old one, again and again', async () => {
    const { live, path } = await start(toml(1))
    for (const messages of [2, 3, 4]) {
      const changed = nextChange(live)
      await replaceFile(path, toml(messages))
      expect((await changed).settings.contextMessages).toBe(messages)
    }
  })

  test('stays when the change breaks a rule; the log names the key, once; the next good change is taken over', async () => {
    const { live, path, log } = await start(toml(1))
    await writeFile(path, toml(1).replace('"admin"', '"owner"'))
    const line = await log.line('the running one stays')
    expect(line).toContain('users.marco.role: must be')
    expect(live.current().settings.contextMessages).toBe(1)

    const changed = nextChange(live)
    await writeFile(path, toml(2))
    expect((await changed).settings.contextMessages).toBe(2)
    expect(log.lines.filter((logged) => logged.includes('the running one stays'))).toHaveLength(1)
  })

  test('stays when the file vanishes, and says so', async () => {
    const { live, path, log } = await start(toml(1))
    await unlink(path)
    expect(await log.line('the running one stays')).toContain('does not exist')
    expect(live.current().settings.contextMessages).toBe(1)
  })

  test('is read at once by reload(), good or bad', async () => {
    const { live, path, log } = await start(toml(1))
    await writeFile(path, toml(2))
    await live.reload()
    expect(live.current().settings.contextMessages).toBe(2)
    await writeFile(path, 'nonsense')
    await live.reload()
    expect(live.current().settings.contextMessages).toBe(2)
    await log.line('is not valid TOML')
  })

  test('tells every listener, whatever another one throws', async () => {
    const { live, path, log } = await start(toml(1))
    live.onChange(() => {
      throw new Error('deaf listener')
    })
    const heard: number[] = []
    live.onChange((config) => heard.push(config.settings.contextMessages))
    await writeFile(path, toml(2))
    await live.reload()
    expect(heard).toEqual([2])
    await log.line('deaf listener')
  })

  test('no longer tells a listener that has left', async () => {
    const { live, path } = await start(toml(1))
    const heard: number[] = []
    const leave = live.onChange((config) => heard.push(config.settings.contextMessages))
    leave()
    await writeFile(path, toml(2))
    await live.reload()
    expect(live.current().settings.contextMessages).toBe(2)
    expect(heard).toEqual([])
  })

  test('warns of a token in the file without repeating it', async () => {
    const { log } = await start(toml(1))
    await log.line('the token itself is in the file')
    expect(log.lines.join('')).not.toContain('the-cli-token')
  })

  test('is stopped twice without harm', async () => {
    const { live } = await start(toml(1))
    await live.stop()
    await expect(live.stop()).resolves.toBeUndefined()
  })

  test('does not start from a file that breaks a rule: the error lists all of it', async () => {
    const bad = start(toml(1).replace('"admin"', '"owner"').replace('context_messages', 'context'))
    await expect(bad).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        /config\.toml: 2 problems\n {2}line 7, users\.marco\.role: .*\n {2}line 9, settings\.context: /,
      ),
    })
  })
})
