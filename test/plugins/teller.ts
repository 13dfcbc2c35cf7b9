/** Tells its key wherever a plugin can say anything. */
import { definePlugin, secret, z } from 'factotum/plugin'

export default definePlugin({
  name: 'teller',
  version: '1.0.0',
  api: 1,
  title: 'Teller',
  description: 'Tells its key.',
  settings: z.object({ key: secret('What it tells.').default('TELLER_KEY') }),
  hooks: {
    onBeforeInvoke: ({ sections }, ctx) => [...sections, { title: 'Told', text: `It is ${ctx.secret('key')}.` }],
    onMessage: (_message, ctx) => {
      throw new Error(`onMessage knows ${ctx.secret('key')}`)
    },
  },
  tools: {
    say: {
      description: 'Tells it.',
      effect: 'READ',
      arguments: z.object({ note: z.string() }),
      async run({ note }, ctx) {
        const key = ctx.secret('key')
        ctx.progress({ done: 1, message: `told ${key}` })
        ctx.log.warn(`it is ${key}`, { key, note })
        await ctx.state.set('told', { key })
        await ctx.record({ sessionId: 'cli:tells', name: 'told', data: { key } })
        await ctx.appendMessage({ sessionId: 'cli:tells', text: `By the way: ${key}` })
        return `It is ${key}, as ${note} says.`
      },
    },
    fail: {
      description: 'Fails with it.',
      effect: 'READ',
      arguments: z.object({}),
      run: (_args, ctx) => {
        throw new Error(`failed with ${ctx.secret('key')}`)
      },
    },
  },
  commands: { say: { description: 'Tells it.', run: (_command, ctx) => `It is ${ctx.secret('key')}.` } },
})
