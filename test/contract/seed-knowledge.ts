/** Facts, learnings and questions to read, written straight into the tables. */
import { normalText } from '../../src/core/text/normal-text.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import type { Database } from '../../src/store/database.ts'
import type { SeededSession } from './seed.ts'

export interface SeededKnowledge {
  /** A pending one, of the first task's review; null in a session without tasks. */
  readonly learningId: string | null
  /** Comes from this session; all its turns were shown it and relied on it. */
  readonly factId: string
  /** An open one of this session. */
  readonly questionId: string
}

const AT = new Date('2026-11-21T12:00:00.000Z')

/** Texts name the session, so that no two facts say the same. */
export async function seedKnowledge(database: Database, session: SeededSession): Promise<SeededKnowledge> {
  const { prisma } = database
  const { id: sessionId, turnIds, taskIds } = session
  const factId = await seedFact(database, { content: `The port of ${sessionId} is 4000.`, sessionId })
  await prisma.turnFacts.createMany({ data: turnIds.map((turnId) => ({ turnId, factIds: [factId], sessionId })) })
  await prisma.factUse.createMany({ data: turnIds.map((turnId) => ({ turnId, factId, sessionId })) })
  const questionId = newId('question')
  const question = textOf(`Which port has ${sessionId}?`)
  await prisma.question.create({
    data: { id: questionId, ...question, sessionId, source: 'CURATOR', createdAt: AT },
  })
  const learningId = turnIds.length === 0 ? null : newId('learning')
  if (learningId !== null) {
    const [turnId, taskId] = [must(turnIds[0], 'a turn'), must(taskIds[0], 'a task')]
    const learning = textOf(`The disk of ${sessionId} is full.`)
    await prisma.learning.create({
      data: { id: learningId, ...learning, sessionId, turnId, taskId, userName: 'bob', createdAt: AT },
    })
  }
  return { learningId, factId, questionId }
}

/** A fact as an admin makes it. */
export async function seedFact(
  database: Database,
  { content, sessionId = null }: { readonly content: string; readonly sessionId?: string | null },
): Promise<string> {
  const id = newId('fact')
  const stamps = { createdAt: AT, updatedAt: AT }
  await database.prisma.fact.create({ data: { id, ...textOf(content), source: 'MANUAL', sessionId, ...stamps } })
  await database.prisma.factVersion.create({
    data: { factId: id, version: 1, content, change: 'CREATED', changedBy: 'alice', at: AT },
  })
  return id
}

/** One that waits, and would make one fact of two. */
export async function seedProposal(
  { prisma }: Database,
  { factIds, content }: { readonly factIds: readonly string[]; readonly content: string },
): Promise<string> {
  const id = newId('proposal')
  const steps = [{ operation: 'MERGE', content, reason: null }]
  const sources = factIds.map((factId) => ({ step: 0, factId, version: 1, content: 'As it was.' }))
  // Consolidation proposes nothing for what a person has reviewed.
  await prisma.fact.updateMany({ where: { id: { in: [...factIds] } }, data: { reviewedAt: null, reviewedBy: null } })
  await prisma.proposal.create({ data: { id, steps, createdAt: AT, sources: { create: sources } } })
  return id
}

function textOf(content: string): { content: string; norm: string } {
  return { content, norm: normalText(content) }
}
