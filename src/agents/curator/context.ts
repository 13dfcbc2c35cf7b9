/** The prompt of the curator: the pending learnings, and what is known and asked already. */
import type { Moment } from '../../core/text/zoned-time.ts'
import type { CuratorContext } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import { labelItems } from '../prompt/labels.ts'
import { describeFacts, describeQuestions, describeSummary, listItems } from '../prompt/knowledge-sections.ts'

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
  const named = (ids: readonly string[] = []): string => ids.flatMap((id) => labels.get(id) ?? []).join(', ')
  const lines = [...labelItems('L', learnings)].flatMap(([label, { similarFactIds, nearFactIds }]) => {
    const [alike, near] = [named(similarFactIds), named(nearFactIds)]
    return [
      ...(alike === '' ? [] : [`${label} is alike to ${alike}.`]),
      ...(near === '' ? [] : [`Nearest to ${label}: ${near}.`]),
    ]
  })
  return lines.length === 0 ? [] : [`# To compare side by side\n\n${lines.join('\n')}`]
}
