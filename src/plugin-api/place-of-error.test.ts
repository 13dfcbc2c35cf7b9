import { expect, test } from 'vitest'
import { placeOfError } from './place-of-error.ts'

const entry = 'file:///home/a%20b/plugins/dice/plugin.ts'

function errorWith(stack: string): Error {
  return Object.assign(new Error('broke'), { stack })
}

test('the first frame in the files of the plugin is the place, and none of what it installed', () => {
  const stack = [
    'Error: broke',
    '    at run (file:///home/a%20b/plugins/dice/node_modules/zod/index.js:1:1)',
    '    at inner (file:///home/a%20b/plugins/dice/lib/roll.ts:12:7)',
    '    at outer (file:///home/a%20b/plugins/dice/plugin.ts:3:1)',
  ]
  expect(placeOfError(errorWith(stack.join('\n')), entry)).toBe('lib/roll.ts:12:7')
})

test('of a syntax error the line is known, by its path', () => {
  const stack =
    '/home/a b/plugins/dice/plugin.ts:9\nenum A { B }\n^^^^\n\nSyntaxError: no enum\n    at node:internal:1:1'
  expect(placeOfError(errorWith(stack), entry)).toBe('plugin.ts:9')
})

test('what did not arise in its files has no place', () => {
  expect(placeOfError(errorWith('Error: broke\n    at file:///server/dist/app.js:1:1'), entry)).toBeNull()
  expect(placeOfError('a text', entry)).toBeNull()
  expect(placeOfError(new Error('broke'), 'data:text/javascript,')).toBeNull()
})
