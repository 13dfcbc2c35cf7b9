/** The prompt of the curator (spec 4): the pending learnings, and what is known and asked already. */
import type { CuratorContext } from '../agent.ts'
import type { Fence } from '../fence.ts'
import { describeFacts, describeQuestions, describeSummary, listItems } from '../knowledge-sections.ts'

export function renderCuratorPrompt(context: CuratorContext, fence: Fence): string {
  const { learnings, facts, questions, summary } = context
  return [
    fence.announcement,
    ...describeSummary(summary, fence),
    ...describeFacts(facts, fence),
    ...describeQuestions(questions, fence),
    `# Learnings to judge\n\n${fence.wrap('DATA_LEARNINGS', listItems('L', learnings))}`,
  ].join('\n\n')
}
