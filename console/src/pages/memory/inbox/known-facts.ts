/** The facts that a learning is about: the one that it would replace first, then those that are like it, each once. */
import type { LearningRowFragment } from '../../../generated/graphql.ts'

type KnownFact = LearningRowFragment['similarTo'][number]

interface MayReplace {
  readonly viewerCan: Pick<LearningRowFragment['viewerCan'], 'promote'>
  readonly replacesFact: Pick<KnownFact, 'invalidatedAt'> | null
}

/** Also those that are out of use. */
export function knownFacts({ replacesFact, similarTo }: LearningRowFragment): readonly KnownFact[] {
  if (replacesFact === null) return similarTo
  return [replacesFact, ...similarTo.filter(({ id }) => id !== replacesFact.id)]
}

/** Those in whose place it may come. */
export function replaceableFacts(row: LearningRowFragment): readonly KnownFact[] {
  return knownFacts(row).filter(({ invalidatedAt }) => invalidatedAt === null)
}

/** It would replace a fact that is in use: a promotion has to say what becomes of that. */
export function waitsToReplace({ viewerCan, replacesFact }: MayReplace): boolean {
  return viewerCan.promote && replacesFact?.invalidatedAt === null
}

/** The fact that it would replace stays in use when it comes in the place of this one. */
export function staysBeside(row: LearningRowFragment, factId: string): boolean {
  return waitsToReplace(row) && row.replacesFact?.id !== factId
}
