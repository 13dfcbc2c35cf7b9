/** What waits for a decision, as it is asked for of users who may not decide about it. */
import { HttpAgent, type BaseEvent, type Interrupt } from '@ag-ui/client'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvalRules } from '../harness/approvals.ts'
import { Story, tokenOf, type Person } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin({
    config: { toml: `[approvals]\n${approvalRules('effect = "require"\ncommand = "tee"')}` },
  })
})
afterAll(() => story[Symbol.asyncDispose]())

async function answerTo(person: Person, content: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${story.app.url}/v1`, apiKey: tokenOf(person), maxRetries: 0 })
  const { choices } = await client.chat.completions.create({
    model: 'factotum',
    messages: [{ role: 'user', content }],
  })
  return choices[0]?.message.content ?? ''
}

async function interruptFor(person: Person, content: string): Promise<Interrupt | undefined> {
  const agent = new HttpAgent({
    url: `${story.app.url}/agui`,
    headers: { authorization: `Bearer ${tokenOf(person)}` },
  })
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
  const events: BaseEvent[] = []
  await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) })
  const { outcome } = events.at(-1) as unknown as { readonly outcome?: { readonly interrupts?: Interrupt[] } }
  return outcome?.interrupts?.[0]
}

test('a chat is not offered commands that would be refused', async () => {
  const asked = await answerTo('ben', 'run: echo x | tee ben.txt')
  expect(asked).toMatch(/^Waiting for a decision\.\n\n- `appr_\w+`: `echo x \| tee ben\.txt`/)
  expect(asked).toMatch(/An admin decides about it\.$/)
  expect(asked).not.toContain('/approve')
  expect(await answerTo('ada', 'run: echo x | tee ada.txt')).toMatch(/Answer `\/approve` to let it run/)
})

test('an interrupt says whether its page may decide', async () => {
  const forBen = await interruptFor('ben', 'run: echo x | tee ben.txt')
  expect(forBen).toMatchObject({ metadata: { mayDecide: false } })
  expect(forBen?.message).toMatch(/An admin decides about it\.$/)
  const forAda = await interruptFor('ada', 'run: echo x | tee ada.txt')
  expect(forAda).toMatchObject({ metadata: { mayDecide: true } })
  expect(forAda?.message).not.toContain('An admin decides')
})
