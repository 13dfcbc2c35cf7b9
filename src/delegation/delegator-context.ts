/** What of intake the delegator works with. */
import type { IntakeContext } from '../intake/intake-context.ts'

/** As intake has it; any number of calls share one. */
export type DelegatorContext = Pick<IntakeContext, 'database' | 'config' | 'clock' | 'redactorOf' | 'feed' | 'doorbell'>
