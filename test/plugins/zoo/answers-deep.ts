/** Answers, and logs, what is nested more deeply than the server takes; each can still be written as JSON. */
import { definePlugin } from 'factotum/plugin'

function nested(): never {
  let list: unknown[] = []
  for (let depth = 0; depth < 300; depth += 1) list = [list]
  return list as never
}

export default definePlugin({
  name: 'answers-deep',
  version: '1.0.0',
  api: 1,
  title: 'answers-deep',
  description: 'Answers and logs lists in lists in lists.',
  hooks: {
    onCommand: nested,
    onMessage: (_message, ctx) => ctx.log.info('lists in lists', nested()),
  },
})
