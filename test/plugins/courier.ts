/** Does not start when its settings say so, and says more in that than a session may know. */
import { definePlugin, secret, z } from 'factotum/plugin'

export default definePlugin({
  name: 'courier',
  version: '1.0.0',
  api: 1,
  title: 'Courier',
  description: 'Brings things.',
  settings: z.object({ breaks: z.boolean().default(false), key: secret('Of its store.').default('COURIER_KEY') }),
  start(ctx) {
    if (ctx.settings.breaks) throw new Error(`db.internal:5432 refuses the key ${ctx.secret('key')}`)
  },
  tools: {
    bring: { description: 'Brings it.', effect: 'READ', arguments: z.object({}), run: () => 'Here it is.' },
  },
})
