/** The prompt of the curator (spec 4): the pending learnings, and what is known and asked already. */
import type { Moment } from '../../core/text/zoned-time.ts'
import type { CuratorContext } from '../agent.ts'
import { openPrompt, type Fence } from '../fence.ts'
import { describeFacts, describeQuestions, describeSummary, listItems } from '../knowledge-sections.ts'

export function renderCuratorPrompt(context: CuratorContext, fence: Fence, moment: Moment): string {
  const { learnings, facts, questions, summary } = context
  return [
    openPrompt(fence, moment),
    ...describeSummary(summary, fence),
    ...describeFacts(facts, fence),
    ...describeQuestions(questions, fence),
    `# Learnings to judge\n\n${fence.wrap('DATA_LEARNINGS', listItems('L', learnings))}`,
  ].join('\n\n')
}
