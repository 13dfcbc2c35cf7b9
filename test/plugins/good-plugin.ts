/** Does what it should: the neighbour of those in the zoo. */
import { definePlugin, secret, z } from 'factotum/plugin'

export default definePlugin({
  name: 'good-plugin',
  version: '1.2.3',
  api: 1,
  title: 'Good',
  description: 'Greets.',
  settings: z.object({
    greeting: z.string().min(1).default('Hello').meta({ description: 'How it greets.' }),
    key: secret('For nothing.').optional(),
  }),
  hooks: {
    onBeforeInvoke: ({ sections }, ctx) => [...sections, { title: 'Greeting', text: ctx.settings.greeting }],
  },
  tools: {
    greet: {
      description: 'Greets a name.',
      effect: 'READ',
      arguments: z.object({ name: z.string().max(20), times: z.int().default(1) }),
      run: ({ name, times }, ctx) => {
        ctx.progress({ done: times, total: times })
        return `${ctx.settings.greeting}, ${name}!`.repeat(times)
      },
    },
    'wait-for-ever': { description: 'Never answers.', arguments: z.object({}), run: () => new Promise(() => {}) },
  },
  commands: {
    greet: {
      description: 'Greets.',
      run: ({ args }, ctx) => `${ctx.settings.greeting}, ${args}! ${ctx.secret('key')}`,
    },
  },
})
