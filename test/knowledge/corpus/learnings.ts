/** Learnings as turns bring them, each with what it is: from a seed, in equal parts of each kind and language. */
import { KINDS, LANGUAGES, PATTERNS, type Kind, type Language } from './learning-patterns.ts'
import { SeededRandom } from '../../harness/seeded-random.ts'
import { projectName, VALUES } from './vocabulary.ts'

export interface LabelledLearning {
  readonly kind: Kind
  readonly language: Language
  readonly text: string
}

const KEY_CHARS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** `perKind` of each of the twelve kinds in each of the five languages. */
export function makeLearnings({
  perKind,
  seed,
}: {
  readonly perKind: number
  readonly seed: number
}): LabelledLearning[] {
  const random = new SeededRandom(seed)
  return LANGUAGES.flatMap((language) =>
    KINDS.flatMap((kind) =>
      Array.from({ length: perKind }, () => {
        const values: Record<string, string> = {
          p: projectName(random),
          w: VALUES.person(random),
          n: VALUES.port(random),
          k: Array.from({ length: 20 }, () => KEY_CHARS.charAt(random.below(KEY_CHARS.length))).join(''),
        }
        const pattern = random.pick(PATTERNS[language][kind])
        return { kind, language, text: pattern.replaceAll(/\{(\w)\}/g, (_, name: string) => values[name] ?? '') }
      }),
    ),
  )
}
