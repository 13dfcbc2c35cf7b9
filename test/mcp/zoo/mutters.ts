/** Writes to its standard error without end, and answers all the same. */
import { serve } from './speak.ts'

const line = `${'x'.repeat(10_000)}\n`
const mutter = (): void => void process.stderr.write(line, () => setTimeout(mutter, 1))
for (let voices = 0; voices < 20; voices += 1) mutter()
serve({})
