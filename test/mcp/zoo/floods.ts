/** Says a thousand times a second that its list of tools has changed, and counts how often it was read. */
import { say, serve, text, tool } from './speak.ts'

let reads = 0
const flood = (): void => {
  for (let times = 0; times < 50; times += 1) say({ method: 'notifications/tools/list_changed' })
  setTimeout(flood, 50)
}
serve({
  'tools/list': () => {
    reads += 1
    if (reads === 1) flood()
    return { tools: [tool('reads')] }
  },
  'tools/call': () => text(String(reads)),
})
