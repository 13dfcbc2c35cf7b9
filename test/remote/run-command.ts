/** `factotum <words>` against the server of a story: in a pipe, or as a person at a terminal who presses keys. */
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { vi } from 'vitest'
import { parseCommandLine } from '../../src/config/command-line/command-line.ts'
import type { RemoteAction } from '../../src/config/command-line/remote-action.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import type { ExitCode } from '../../src/remote/outcome.ts'
import { runRemote } from '../../src/remote/run-remote.ts'
import type { Terminal } from '../../src/remote/terminal.ts'
import { PATIENCE } from '../harness/patience.ts'
import { tokenOf, type Person, type Story } from '../harness/story.ts'

function actionOf(words: string): RemoteAction {
  const parsed = parseCommandLine(words.split(' '))
  if (parsed.kind !== 'remote') throw new Error(`"${words}" is no command for a server: ${JSON.stringify(parsed)}`)
  return parsed.action
}

interface Running {
  readonly as?: Person
  /** Another way to the server. */
  readonly url?: string
  readonly clock?: Clock
}

function run(
  story: Story,
  words: string,
  { as = 'ada', url = story.app.url, clock = systemClock, terminal }: Running & { readonly terminal: Terminal },
) {
  return runRemote(actionOf(words), {
    url,
    token: tokenOf(as),
    isNewToken: false,
    clock,
    terminal,
    takeInterrupts: () => AbortSignal.timeout(PATIENCE.timeout),
  })
}

/** In a pipe: what it prints, and how it ends. */
export async function factotum(
  story: Story,
  words: string,
  { input = '', ...running }: Running & { readonly input?: string } = {},
): Promise<{ readonly exitCode: ExitCode; readonly printed: string; readonly said: string }> {
  const output = new PassThrough()
  const errors = new PassThrough()
  const terminal = { input: Readable.from([input]), output, errors, isInteractive: false }
  const exitCode = await run(story, words, { ...running, terminal })
  output.end()
  errors.end()
  return { exitCode, printed: await text(output), said: await text(errors) }
}

export const KEYS = { down: '\u001B[B', enter: '\r' } as const

/** A command that asks, and who answers it. */
export class Answering {
  readonly ended: Promise<ExitCode>
  readonly #input = new PassThrough()
  #shown = ''
  #seen = 0

  /** Ada's. */
  constructor(story: Story, words: string, way: Omit<Running, 'as'> = {}) {
    const output = Object.assign(new PassThrough(), { columns: 80 })
    output.on('data', (data: Buffer) => (this.#shown += data.toString()))
    const terminal = { input: this.#input, output, errors: output, isInteractive: true }
    this.ended = run(story, words, { ...way, terminal })
  }

  /** Waits until this is shown, behind what was waited for before; what it matched. */
  async see(pattern: RegExp): Promise<string> {
    const fresh = (): string => stripVTControlCharacters(this.#shown).slice(this.#seen)
    const [found, group] = await vi.waitFor(() => {
      const matched = pattern.exec(fresh())
      if (matched === null) throw new Error(`${pattern} is not shown, but: ${fresh()}`)
      return matched
    }, PATIENCE)
    this.#seen += fresh().indexOf(found) + found.length
    return group ?? found
  }

  press(...keys: readonly string[]): void {
    for (const key of keys) this.#input.write(key)
  }
}
