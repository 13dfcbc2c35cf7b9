import { expect, test } from 'vitest'
import { DECLARED_TEXTS } from './turn-texts.ts'

/** Names of fields that hold an id, a name or a code of ours. What a person, a model or a program writes is a text. */
const OURS = new Set(
  [
    'id taskId planId messageId turnId fileId approvalId delegationId deliveryId thinkingId',
    'learningId learningIds factId questionId',
    'subjectId changeId responseId callId repeatsFactId repeatsLearningId similarFactIds factIds scopeOf',
    'factsShown factsUsed questionsAsked dropDeltasOf hooksDue plugin provider model status role change until reach',
    'tokenName userName tools fingerprint contentType sharedSha256 wasSha256',
  ].flatMap((names) => names.split(' ')),
)

function keptIn(declared: unknown, name = ''): string[] {
  if (declared === 'kept') return [name]
  if (typeof declared !== 'object' || declared === null) return []
  return Object.entries(declared).flatMap(([field, inner]) => keptIn(inner, field))
}

test('what is stored as it is, without a search for secrets, is an id, a name or a code of ours', () => {
  const kept = keptIn(DECLARED_TEXTS)
  expect(kept.filter((name) => !OURS.has(name))).toEqual([])
  expect([...OURS].filter((name) => !kept.includes(name))).toEqual([])
})
