/** Answers 20 MB. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'answers-too-much',
  version: '1.0.0',
  api: 1,
  title: 'answers-too-much',
  description: 'Answers 20 MB.',
  hooks: { onCommand: () => 'x'.repeat(20 * 1024 * 1024) },
})
