/** Writes a note when it is to end. */
import { writeFileSync } from 'node:fs'
import { serve } from './speak.ts'

process.stdin.on('end', () => setTimeout(() => writeFileSync('note', 'gone'), 100))
serve({})
