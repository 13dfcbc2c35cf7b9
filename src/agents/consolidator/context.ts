/** The prompt with which the summarizer consolidates facts: facts that are alike, by label. */
import type { Moment } from '../../core/text/zoned-time.ts'
import type { KnownFact } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import { listItems } from '../prompt/knowledge-sections.ts'

export function renderConsolidatorPrompt(facts: readonly KnownFact[], fence: Fence, moment: Moment): string {
  return `${openPrompt(fence, moment)}\n\n# Facts to consolidate\n\n${fence.wrap('DATA_FACTS', listItems('F', facts))}`
}
