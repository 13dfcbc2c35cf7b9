/** `factotum chat` at a terminal of 80 columns, on a network that breaks: what a person sees and types. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { connect } from '../../packages/client/src/connect.ts'
import { Story, tokenOf } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'

const APPROVALS = { toml: '[[approvals.rules]]\neffect = "require"\ncommand = "touch"\n' }

/** A terminal that a test types into. */
class Terminal implements AsyncDisposable {
  readonly #child
  #shown = ''

  constructor(url: string, session: string) {
    const command = `stty cols 80; exec ${process.execPath} bin/factotum.js chat ${session} --url ${url}`
    this.#child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, FACTOTUM_TOKEN: tokenOf('ada'), TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child.stdout.on('data', (data: Buffer) => (this.#shown += data.toString()))
  }

  get shown(): string {
    return stripVTControlCharacters(this.#shown).replaceAll('\r', '')
  }

  type(line: string): void {
    this.#child.stdin.write(`${line}\r`)
  }

  async ended(): Promise<unknown> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
    return this.#child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended()
  }
}

/** Waits until the person sees it. */
function seen(terminal: Terminal, text: string | RegExp): Promise<void> {
  return expect.poll(() => terminal.shown).toMatch(text)
}

test('shows everything as it happens, decides in place, stops, and comes back after the connection was lost', async () => {
  await using story = await Story.begin({ config: APPROVALS })
  await using proxy = await TcpProxy.start(story.app.url)
  await using terminal = new Terminal(proxy.through(story.app.url), 'cli:chat')
  await seen(terminal, 'cli:chat · /help')
  terminal.type('run: echo said by a command')
  await seen(terminal, /│ said by a command\n[^]*‹ /)
  await seen(terminal, /model calls/)

  terminal.type('run: touch x')
  await seen(terminal, 'May this run? touch x')
  terminal.type('what?')
  await seen(terminal, 'y, s or n')
  terminal.type('y go on')
  await seen(terminal, '✓ 1 EXEC touch x')

  proxy.cut()
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  await client.session('cli:chat').send('run: echo while nobody was connected')
  client.close()
  proxy.restore()
  await seen(terminal, '│ while nobody was connected')
  expect(terminal.shown.split('│ while nobody was connected')).toHaveLength(2)

  terminal.type('run: sleep 60')
  await seen(terminal, '▸ 1 EXEC sleep 60')
  terminal.type('/stop')
  await seen(terminal, 'Cancelled')
  terminal.type('/quit')
  expect(await terminal.ended()).toBe(0)
})
