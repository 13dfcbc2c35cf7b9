/** The prompt of the curator (spec 4): the pending learnings, and what is known and asked already. */
import type { Moment } from '../../core/text/zoned-time.ts'
import type { CuratorContext } from '../agent.ts'
import { labelItems } from '../labels.ts'
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
    ...describeAlike(context),
  ].join('\n\n')
}

/** Labels alone, so it stands outside of the data. */
function describeAlike({ learnings, facts }: CuratorContext): string[] {
  const labels = new Map([...labelItems('F', facts)].map(([label, { id }]) => [id, label]))
  const lines = [...labelItems('L', learnings)].flatMap(([label, { similarFactIds = [] }]) => {
    const alike = similarFactIds.flatMap((id) => labels.get(id) ?? [])
    return alike.length === 0 ? [] : [`${label} is alike to ${alike.join(', ')}.`]
  })
  return lines.length === 0 ? [] : [`# To compare side by side\n\n${lines.join('\n')}`]
}
