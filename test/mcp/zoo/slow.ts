/** Takes 1.5 seconds to start. */
import { serve } from './speak.ts'

setTimeout(() => serve({}), 1500)
