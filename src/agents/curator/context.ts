/** What the curator is told, as text (spec 4): the pending learnings, and what is known and asked already. */
import type { CuratorContext } from '../agent.ts'
import type { Fence } from '../fence.ts'
import { labelItems } from '../labels.ts'
import { listItems } from '../list-items.ts'

export function renderCuratorPrompt(context: CuratorContext, fence: Fence): string {
  const { learnings, facts, questions, summary } = context
  return [
    fence.announcement,
    ...(summary === '' ? [] : [`# The conversation so far, in short\n\n${fence.wrap('DATA_SUMMARY', summary)}`]),
    ...(facts.length === 0
      ? []
      : [`# Facts that are known\n\n${fence.wrap('DATA_FACTS', listItems(labelItems('F', facts)))}`]),
    ...(questions.length === 0
      ? []
      : [
          `# Questions that are open already\n\n${fence.wrap('DATA_QUESTIONS', listItems(labelItems('Q', questions)))}`,
        ]),
    `# Learnings to judge\n\n${fence.wrap('DATA_LEARNINGS', listItems(labelItems('L', learnings)))}`,
  ].join('\n\n')
}
