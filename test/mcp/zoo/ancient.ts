/** Speaks a version of the protocol that there is none of. */
import { serve } from './speak.ts'

serve({
  initialize: () => ({
    protocolVersion: '1999-01-01',
    capabilities: { tools: {} },
    serverInfo: { name: 'a', version: '0' },
  }),
})
