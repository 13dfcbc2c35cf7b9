/** A session's state in Vue, Solid and Svelte, by their own reactivity. */
import { connect, type FactotumClient, type SessionState } from '@factotum/client'
import { createRoot } from 'solid-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { effectScope, watch } from 'vue'
import { Story, tokenOf } from '../../harness/story.ts'
import { useSession as useInSolid } from './solid.ts'
import { useSession as useInSvelte } from './svelte.ts'
import { useSession as useInVue } from './vue.ts'

interface Used {
  readonly read: () => SessionState
  readonly send: (text: string) => unknown
  readonly end: () => void
}

const useIn: Readonly<Record<string, (client: FactotumClient, id: string) => Used>> = {
  vue: (client, id) => {
    const scope = effectScope()
    const used = scope.run(() => useInVue(client, id))
    if (used === undefined) throw new Error('the scope is active')
    let seen = used.state.value
    scope.run(() => watch(used.state, (state) => (seen = state), { flush: 'sync' }))
    return { read: () => seen, send: used.send, end: () => scope.stop() }
  },
  // What Node is given of Solid is what renders on servers, where signals hold values and run no effects.
  solid: (client, id) =>
    createRoot((end) => {
      const { state, send } = useInSolid(client, id)
      return { read: state, send, end }
    }),
  svelte: (client, id) => {
    const { state, send } = useInSvelte(client, id)
    let seen: SessionState | undefined
    const end = state.subscribe((now) => (seen = now))
    return { read: () => seen ?? unknown(), send, end }
  },
}

const unknown = (): never => {
  throw new Error('there is a state at once')
}

let story: Story
let client: FactotumClient
beforeAll(async () => {
  story = await Story.begin()
  client = connect({ url: story.app.url, token: tokenOf('ada') })
})
afterAll(async () => {
  client.close()
  await story[Symbol.asyncDispose]()
})

test.each(Object.keys(useIn))('%s shows the message and its answer, and lets go of the session', async (name) => {
  const { read, send, end } = useIn[name]?.(client, `cli:${name}`) ?? unknown()
  await expect.poll(() => read().status).toBe('absent')
  void send('Forty-two?')
  await expect
    .poll(() => read().entries.map(({ kind, content }) => [kind, content]))
    .toEqual([
      ['person', 'Forty-two?'],
      ['agent', expect.stringContaining('Forty-two?')],
    ])
  await expect.poll(() => read().isBusy).toBe(false)
  end()
})
