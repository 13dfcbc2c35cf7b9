/** `factotum chat` at a terminal of 80 columns, on a network that breaks: what a person sees and types. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { connect } from '../../packages/client/src/connect.ts'
import { serverProgram } from '../harness/server-program.ts'
import { Story, tokenOf } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { displayedWidth } from './displayed-width.ts'
import { seen, TypedTerminal } from './typed-terminal.ts'

const APPROVALS = { toml: '[[approvals.rules]]\neffect = "require"\ncommand = "touch"\n' }

test('shows everything as it happens, decides in place, stops, and comes back after the connection was lost', async () => {
  await using story = await Story.begin({ config: APPROVALS })
  await using proxy = await TcpProxy.start(story.app.url)
  await using terminal = new TypedTerminal(proxy.through(story.app.url), 'chat cli:chat')
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

const LONG_WORD = 'c29tZXRoaW5nLXRoYXQtaXMtdmVyeS1sb25n'.repeat(5)
const CODE =
  '\tconst answers = new Map(questions.map((question) => [question.id, question.answers.filter((one) => one.isRight)]))'
const WIDE = '可以请你告诉我明天早上几点开门吗？✅ 我想在九点之前到那里，不知道是否可以。🙂 謝謝 ❌ '.repeat(3)

test('in 80 columns no row is wider, whatever is said, run and asked; in a pipe all of it is plain', async () => {
  await using story = await Story.begin({ config: APPROVALS })
  await using terminal = new TypedTerminal(story.app.url, 'chat cli:wide')
  await seen(terminal, 'cli:wide · /help')
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  const session = client.session('cli:wide')
  terminal.type('/help')
  await seen(terminal, 'a reason behind it.')
  for (const [number, said] of [CODE, WIDE, LONG_WORD].entries()) {
    const message = `What does this do?\n\n\`\`\`ts\n${said}\n\`\`\`\nrun: printf '%s\\t%s\\n' '${said}' 'the end'`
    await session.send(message)
    await expect.poll(() => terminal.shown.split('model calls')).toHaveLength(number + 2)
  }
  await session.send(`run: touch '${LONG_WORD.slice(0, 100)}'`)
  await seen(terminal, '[n]o? ')
  terminal.type('n')
  await seen(terminal, 'denied')
  client.close()
  terminal.type('/quit')
  expect(await terminal.ended()).toBe(0)
  const widths = terminal.rows.map(displayedWidth)
  expect(terminal.rows.filter((_, index) => (widths[index] ?? 0) > 80)).toEqual([])
  expect(widths.filter((width) => width > 75)).not.toEqual([])

  const env = { PATH: process.env['PATH'], FACTOTUM_TOKEN: tokenOf('ada'), TERM: 'xterm' }
  const args = [await serverProgram(), 'chat', 'cli:piped', '--url', story.app.url]
  const piped = promisify(execFile)(process.execPath, args, { env })
  piped.child.stdin?.end(`run: printf '\\033[31mred\\033[0m ${LONG_WORD}'\n`)
  const { stdout } = await piped
  expect(stdout).toContain(`│ \uFFFD[31mred\uFFFD[0m ${LONG_WORD}\n`)
  expect(stdout.replaceAll(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u)
})
