/** Has mistakes of an honest author in a hook, a tool and a timer. */
import { definePlugin, z } from 'factotum/plugin'

function cityOf(text: string): string {
  return (JSON.parse(text) as { place: { city: string } }).place.city
}

export default definePlugin({
  name: 'faults',
  version: '1.0.0',
  api: 1,
  title: 'Faults',
  description: 'Has faults.',
  settings: z.object({}),
  hooks: {
    onTaskComplete: () => void cityOf('{}'),
  },
  tools: {
    city: { description: 'Has a fault.', effect: 'READ', arguments: z.object({}), run: () => cityOf('{}') },
    refuse: {
      description: 'Says no.',
      effect: 'READ',
      arguments: z.object({}),
      run: () => {
        throw new Error('There is no such city.')
      },
    },
  },
  commands: {
    later: {
      description: 'Throws when it has answered.',
      run: () => {
        setTimeout(() => cityOf('{}'), 1)
        return true
      },
    },
  },
})
