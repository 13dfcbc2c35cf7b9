/** Ends at once, each time, and leaves a line in its folder. */
import { appendFileSync } from 'node:fs'

appendFileSync('starts', 'started\n')
console.error('no licence found')
process.exit(1)
