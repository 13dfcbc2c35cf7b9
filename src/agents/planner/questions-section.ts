/**
 * Open questions as the planner is shown them, and the facts that they are about: of these it may say what follows from
 * an answer. Without such facts the prompt is as it is without this.
 */
import type { KnownFact, PlannerContext } from '../agent.ts'
import type { Fence } from '../prompt/fence.ts'
import { describeQuestions, MAX_ITEM_CHARS } from '../prompt/knowledge-sections.ts'
import { labelItems } from '../prompt/labels.ts'
import { oneLine } from '../prompt/one-line.ts'
import { preview } from '../prompt/preview.ts'

type Shown = Pick<PlannerContext, 'questions' | 'questionFacts' | 'facts'>

/** All facts of the prompt by label: those that are known, then those that are only asked about. Each once. */
export function labelFacts({ facts, questionFacts }: Omit<Shown, 'questions'>): ReadonlyMap<string, KnownFact> {
  const asked = new Map(questionFacts.map((fact) => [fact.id, fact]))
  return labelItems('F', [...facts, ...[...asked.values()].filter(({ id }) => facts.every((fact) => fact.id !== id))])
}

/** Said by the server: what models wrote of outcomes elsewhere does not count. */
const OUTCOME = `An answer to one of these questions may say what follows for the fact that it is about. It then has a third field, \`outcome\`, which is null otherwise: \`{"verdict": "replace" | "keep", "fact": string, "text": string | null}\`, with the label of the fact.

- **replace**: by the answer the fact does not hold any more. \`text\` holds in its place: one sentence that is understood by itself, and says what the user said, with all names and numbers of it and no others.
- **keep**: by the answer the fact holds as it is. \`text\` is null.

Where the message leaves that open, \`outcome\` is null.`

export function describeAsked(shown: Shown, fence: Fence): string[] {
  const described = describeQuestions(shown.questions, fence)
  if (shown.questionFacts.length === 0) return described
  const questions = new Map([...labelItems('Q', shown.questions)].map(([label, { id }]) => [id, label]))
  const labels = new Map([...labelFacts(shown)].map(([label, { id }]) => [id, label]))
  const lines = shown.questionFacts.map(({ id, questionId, content }) => {
    const text = oneLine(preview(content, { maxChars: MAX_ITEM_CHARS }))
    return `${labels.get(id)} of ${questions.get(questionId)}: ${text}`
  })
  return [...described, `What they are about:\n${fence.wrap('DATA_FACTS', lines.join('\n'))}`, OUTCOME]
}
