/** Answers what is no JSON. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'answers-nonsense',
  version: '1.0.0',
  api: 1,
  title: 'answers-nonsense',
  description: 'Answers what is no JSON.',
  hooks: { onCommand: () => 1n as unknown as string, onTaskComplete: () => (() => 1) as unknown as { reject: string } },
})
