import { expect, test } from 'vitest'
import { mayBuildWithUv } from './prepare-python.ts'

test.each(['-e ./x', '-e./x', 'a\n  --editable=x', '-r other.txt', '\\\n-e x', '--requirement other.txt'])(
  'uv might build for %j',
  (requirements) => expect(mayBuildWithUv(requirements)).toBe(true),
)

test.each(['requests>=2', '--require-hashes\na==1 --hash=sha256:00', '--extra-index-url https://a', 'x-e\n# -e x', ''])(
  'uv builds nothing for %j',
  (requirements) => expect(mayBuildWithUv(requirements)).toBe(false),
)
