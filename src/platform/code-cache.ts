/**
 * Where Node keeps compiled code from one start to the next. The sources are TypeScript, which it strips and compiles
 * anew without this: half a second of CPU for each start of a server. Beside the dependencies, where only who may
 * change the code may write; a folder that cannot be written is no error.
 */
import { packageFile } from './package-file.ts'

export const CODE_CACHE = packageFile('node_modules/.cache/factotum')
