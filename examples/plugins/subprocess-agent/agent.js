/**
 * A small agent: JSON lines in, JSON lines out. It remembers what was said to it for as long as it runs, and it is
 * started in the sandbox, so it has no files but its own and no network. A real one would ask a model here.
 *
 *   in   { "type": "open", "model", "system" }
 *        { "type": "messages", "messages", "tools" }
 *   out  { "kind": "text" | "thinking" | "call" | "usage", … }, then { "kind": "done" }
 */
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

const said = []
let model = ''
const tell = (piece) => process.stdout.write(`${JSON.stringify(piece)}\n`)

/** What Factotum puts around a message begins with a mark of its own; the words are between two of them. */
function wordsOf(text) {
  const [, , words] = /^<<<(MESSAGE_[0-9a-f]{32})>>>\n([^]*?)\n<<<END_\1>>>$/m.exec(text) ?? [null, null, text]
  return words.trim()
}

async function answer(messages) {
  const last = messages.at(-1)
  if (last?.by === 'tool') return tell({ kind: 'text', text: `The command came to this: ${last.text}` })
  const users = messages.filter(({ by }) => by === 'user').map(({ text }) => wordsOf(text))
  said.push(...users)
  const [word = '', ...rest] = (users.at(-1) ?? '').split(' ')
  if (word === 'count') {
    for (let n = 1; n <= Number(rest[0]); n++) {
      tell({ kind: 'text', text: n === 1 ? '1' : ` ${n}` })
      await pause(20)
    }
  } else if (word === 'think') {
    tell({ kind: 'thinking', text: rest.join(' ') })
    tell({ kind: 'text', text: 'I have thought.' })
  } else if (word === 'run')
    tell({ kind: 'call', id: `run-${said.length}`, name: 'exec', args: { command: rest.join(' ') } })
  else if (word === 'die') {
    tell({ kind: 'text', text: 'I am ' })
    await pause(100)
    process.exit(3)
  } else tell({ kind: 'text', text: `${model} heard ${said.length}: ${said.join(' | ')}` })
}

for await (const line of createInterface({ input: process.stdin })) {
  const { type, ...asked } = JSON.parse(line)
  if (type === 'open') model = asked.model
  if (type !== 'messages') continue
  await answer(asked.messages)
  tell({ kind: 'usage', inputTokens: line.length, outputTokens: 1 })
  tell({ kind: 'done' })
}
