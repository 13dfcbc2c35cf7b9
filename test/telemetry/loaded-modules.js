// Imported before a server: writes the address of each module that its main thread loads to the file LOADED_MODULES.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.LOADED_MODULES, `${url}\n`)
    return nextLoad(url, context)
  },
})
