/**
 * `resolveQuestion`: a person closes an open question, with its answer or because it needs none any more. An admin may
 * say what follows for the learning and the facts; what others answer is learned, and judged as what they teach. Others
 * than admins close questions of sessions in which they take part, and those of all sessions that were put there.
 */
import type { Viewer } from '../../core/identity.ts'
import { conflict, invalidInput, notFound, refuseInput, type Refusal } from '../../core/refusal.ts'
import { readQuestion, type AskedQuestion } from '../../store/knowledge/read-question.ts'
import type { QuestionChanged } from '../../store/knowledge/knowledge-question.ts'
import { storeSettledQuestion, type QuestionOutcome } from '../../store/knowledge/settle-question.ts'
import { learnFromAnswer } from '../learnings/learn-from-answer.ts'
import { announced, editorOf, type KnowledgeContext } from './knowledge-context.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues, remarkOf } from './knowledge-text.ts'

export interface ResolveQuestionInput {
  readonly id: string
  readonly answer?: string | null | undefined
  readonly outcome?: QuestionOutcome | null | undefined
  readonly text?: string | null | undefined
}

export async function resolveQuestion(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, answer, outcome = null, text }: ResolveQuestionInput,
): Promise<QuestionChanged | Refusal> {
  const refusal = refuseInput([...knowledgeTextIssues(['answer'], answer), ...knowledgeTextIssues(['text'], text)])
  if (refusal !== null) return refusal
  const isAdmin = viewer.role === 'ADMIN'
  if (viewer.user === null || !isIdOf('question', id)) return notFound('question', id)
  const question = await readQuestion(context.database, { id, userName: isAdmin ? null : viewer.user.name })
  if (question === null) return notFound('question', id)
  if (!isAdmin && outcome !== null) return conflict('NOT_ALLOWED', 'Only an admin may say what becomes of facts.', id)
  if (text != null && outcome !== 'LEARNING' && outcome !== 'NEITHER')
    return invalidInput(['text'], 'must stand with the outcome LEARNING or NEITHER')
  const said = remarkOf(context, answer)
  const learned = outcome === null ? await learnedFrom(context, question, { answer: said, by: viewer.user.name }) : null
  const fact = text == null ? null : knowledgeText(context, text)
  const settlement = { id, answer: said, outcome, text: fact, learned, sessionId: question.putIn }
  return announced(context, await storeSettledQuestion(context.database, editorOf(context, viewer), settlement))
}

async function learnedFrom(
  { database, config }: KnowledgeContext,
  question: AskedQuestion,
  { answer, by }: { readonly answer: string | null; readonly by: string },
) {
  if (answer === null) return null
  return learnFromAnswer(database, config.current(), { question, answer, userName: by, sessionId: question.askedIn })
}
