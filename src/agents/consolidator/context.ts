/** The prompt with which the summarizer consolidates facts: the facts of the batch, by label. */
import type { KnownFact } from '../agent.ts'
import type { Fence } from '../fence.ts'
import { listItems } from '../knowledge-sections.ts'

export function renderConsolidatorPrompt(facts: readonly KnownFact[], fence: Fence): string {
  return `${fence.announcement}\n\n# Facts to consolidate\n\n${fence.wrap('DATA_FACTS', listItems('F', facts))}`
}
