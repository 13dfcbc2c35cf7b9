/** What of intake the delegator works with, and what a collector is told of its messages. */
import type { IntakeContext } from '../intake/intake-context.ts'
import type { Tracing } from '../telemetry/tracing.ts'

/** As intake has it; any number of calls share one. */
export type DelegatorContext = Pick<
  IntakeContext,
  'database' | 'config' | 'clock' | 'redactorOf' | 'feed' | 'doorbell'
> & { readonly tracing: Tracing }
