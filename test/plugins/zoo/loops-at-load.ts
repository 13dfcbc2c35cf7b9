/** Loops before it has said what it is. */
import { definePlugin } from 'factotum/plugin'
while (process.uptime() > 0);
export default definePlugin({
  name: 'loops-at-load',
  version: '1.0.0',
  api: 1,
  title: 'loops-at-load',
  description: 'Loops before it has said what it is.',
})
