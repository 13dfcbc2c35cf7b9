/** What browsers are told of every answer: not to be kept, nothing but what it says it is, and for whom it is. */
import { SAFE_HEADERS } from '../../http/safe-headers.ts'
import type { DoorPlugin } from '../../operation/caller.ts'

export function useSafeHeaders(): DoorPlugin {
  return {
    onResponse({ response: { headers } }) {
      for (const [name, value] of SAFE_HEADERS) {
        if (headers.get(name)?.includes(value) !== true) headers.set(name, value)
      }
      if (headers.has('access-control-allow-origin')) headers.set('vary', 'Origin, Access-Control-Request-Headers')
    },
  }
}
