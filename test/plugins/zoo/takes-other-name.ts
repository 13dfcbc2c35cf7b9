/** Says that it is another. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'Wrong Name',
  version: '1.0.0',
  api: 1,
  title: 'takes-other-name',
  description: 'Says that it is another.',
})
