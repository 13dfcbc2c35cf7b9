/**
 * Who prints guesses of a secret of the deployment does not see which is right, one character after the other: what is
 * shown, and when, is the same for a right beginning as for a wrong one. The commands wait for the test, so what is
 * held back never comes.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REDACTED } from '../../src/core/text/redacted.ts'
import { adminWorkspacePath, workspacePath } from '../../src/execution/workspace/workspace.ts'
import { ReloadSecretsDocument, TurnDocument } from '../generated/graphql.ts'
import { eventsOf, send, Story, turnEnd, watchAll, type Person } from '../harness/story.ts'

const SECRET = 'open-sesame-42-and-close'
/** As many characters, of which the first are right; where a text ends with right ones, a secret may begin. */
const GUESSES = [1, 5, SECRET.length - 1].flatMap((count) => [SECRET.slice(0, count), '#'.repeat(count)])
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString('base64').replaceAll('=', ''),
  hex: (text) => Buffer.from(text).toString('hex'),
}

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  await writeFile(story.path('.env'), `DOOR=${SECRET}\n`, { mode: 0o600 })
  await story.as('ada').run(ReloadSecretsDocument)
})
afterAll(() => story[Symbol.asyncDispose]())

interface Guessed {
  /** What was shown while the command still ran. */
  readonly live: readonly string[]
  readonly output: string
}

/** Prints `text`, waits until that is shown, and prints more. */
async function printAndWait(person: Person, id: string, print: string): Promise<Guessed> {
  const api = story.as(person)
  await send(api, id, `run: ${print}; until [ -e go ]; do sleep 0.02; done; echo; echo done`)
  await using watch = watchAll(api, id)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  const live = eventsOf(watch, 'TaskOutputEvent').map(({ text }) => text)
  const workspace = person === 'ada' ? adminWorkspacePath(story.home, id) : workspacePath(story.home, id)
  await writeFile(join(workspace, 'go'), '')
  const { turnId } = await turnEnd(watch)
  const { turn } = await api.run(TurnDocument, { id: turnId ?? '' })
  return { live, output: turn?.tasks[0]?.output ?? '' }
}

describe('a guess', () => {
  test.each(Object.entries(FORMS))('that a user prints is shown at once, right or wrong: %s', async (form, write) => {
    for (const [n, guess] of GUESSES.entries()) {
      const text = `is it ${write(guess)}`
      const guessed = await printAndWait('ben', `@ben:ben-${form}-${n}`, `printf %s '${text}'`)
      expect(guessed).toEqual({ live: [text], output: `${text}\ndone\n` })
    }
  })

  test.each(Object.entries(FORMS))(
    "that ends a line of an admin's command is shown with it: %s",
    async (form, write) => {
      for (const [n, guess] of GUESSES.entries()) {
        const line = `is it ${write(guess)}`
        const guessed = await printAndWait('ada', `cli:ada-${form}-${n}`, `echo '${line}'`)
        expect(guessed).toEqual({ live: [`${line}\n`], output: `${line}\n\ndone\n` })
      }
    },
  )

  test('that is right to the last character is hidden, and nothing but that', async () => {
    const { live, output } = await printAndWait('ben', '@ben:whole', `printf 'is it %s?' ${SECRET}`)
    expect(live).toEqual([`is it ${REDACTED}?`])
    expect(output).toBe(`is it ${REDACTED}?\ndone\n`)
  })
})
