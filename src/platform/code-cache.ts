/**
 * Where Node keeps compiled code from one start to the next. The sources are TypeScript, which it strips and compiles anew without
 * this: half a second of CPU for each start of a server. Beside the dependencies, where only who may change the code may write; a
 * folder that cannot be written is no error.
 */
import { fileURLToPath } from 'node:url'

export const CODE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/factotum', import.meta.url))
