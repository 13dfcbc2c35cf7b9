/** Notes in its state when it starts, and when it is told of new settings. */
import { definePlugin, secret, z } from 'factotum/plugin'

export default definePlugin({
  name: 'diary',
  version: '2.0.0',
  api: 1,
  title: 'Diary',
  description: 'Keeps a diary.',
  settings: z.object({ owner: z.string().min(1).default('nobody'), key: secret('A key.').optional() }),
  hooks: { onSettingsChange: ({ settings }, ctx) => ctx.state.set('told', settings) },
  tools: {
    read: {
      description: 'Reads it.',
      effect: 'READ',
      arguments: z.object({}),
      run: (_args, ctx) => ctx.state.get('told'),
    },
  },
  commands: { diary: { description: 'Reads it.', run: () => true } },
  async start(ctx) {
    const { owner } = ctx.settings
    const key = ctx.secret('key')
    const started = (await ctx.state.keys('start ')).length
    await ctx.state.set(`start ${started}-${Math.random()}`, { owner, length: key?.length ?? 0, key })
    ctx.log.info('the diary begins', { owner, key })
    if (owner !== 'nobody') {
      await ctx.sendMessage({ sessionId: 'web:diary', user: owner, text: `Dear diary, ${key}` })
      await ctx.appendMessage({ sessionId: 'web:diary', text: 'It was a nice day.' })
      await ctx.record({ sessionId: 'web:diary', name: 'begun', data: { key } })
    }
    if (owner === 'absent') throw new Error(`unreachable with ${key}`)
  },
})
