/** The facts that a learning is about: the one that it would replace first, then those that are like it, each once. */
import type { LearningRowFragment } from '../../../generated/graphql.ts'

type KnownFact = LearningRowFragment['similarTo'][number]

/** Also those that are out of use. */
export function knownFacts({ replacesFact, similarTo }: LearningRowFragment): readonly KnownFact[] {
  if (replacesFact === null) return similarTo
  return [replacesFact, ...similarTo.filter(({ id }) => id !== replacesFact.id)]
}

/** Those in whose place it may come. */
export function replaceableFacts(row: LearningRowFragment): readonly KnownFact[] {
  return knownFacts(row).filter(({ invalidatedAt }) => invalidatedAt === null)
}

/** It waits as it would replace a fact that is in use: promoted, it would stand beside that. */
export function waitsToReplace({ status, flags, replacesFact }: LearningRowFragment): boolean {
  return status === 'PENDING' && flags.includes('REPLACES') && replacesFact?.invalidatedAt === null
}
