/** TanStack Query, whose cache holds whole answers. */
import { judgeClient } from './judge-client.ts'
import { openTanstack } from './pages/tanstack-page.ts'

judgeClient('tanstack', openTanstack)
