/** What a streamed text costs a page in React: each of its pieces renders the one component that shows it. */
import { createElement, StrictMode, type ReactElement, type ReactNode } from 'react'
import { connect, type SessionState } from '@factotum/client'
import { FactotumProvider, useSession } from '@factotum/client/react'
import { Window } from 'happy-dom'
import { createRoot } from 'react-dom/client'
import { afterAll, expect, test, vi } from 'vitest'
import { Cluster } from '../harness/cluster.ts'
import { tokenOf } from '../harness/story.ts'

const ID = 'cli:renders'
/** How often each component was rendered. */
const renders = new Map<string, number>()

function rendered(name: string): void {
  renders.set(name, (renders.get(name) ?? 0) + 1)
}

function Busy(): ReactNode {
  rendered('busy')
  return useSession(ID, ({ isBusy, status }) => `${status} ${isBusy}`)
}

function Entries(): ReactElement[] {
  rendered('entries')
  const keys = useSession(ID, ({ entries }) => entries.map(({ key }) => key))
  return keys.map((name) => createElement(Text, { key: name, name }))
}

function Text({ name }: { readonly name: string }): ReactNode {
  rendered(name)
  return useSession(ID, (state) => textOf(state, name))
}

function textOf({ entries }: SessionState, name: string): string {
  return entries.find(({ key }) => key === name)?.content ?? ''
}

const window = new Window()
afterAll(async () => {
  vi.unstubAllGlobals()
  await window.happyDOM.close()
})

test('a piece of a text renders one component', async () => {
  // A process of its own: a server does not expect the globals of a browser.
  await using cluster = await Cluster.begin()
  const { url } = await cluster.start()
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  const client = connect({ url, token: tokenOf('ada') })
  await client.session(ID).ask('Before')
  const page = window.document.createElement('div')
  const root = createRoot(page as unknown as Element)
  const shown = [createElement(Busy, { key: 'busy' }), createElement(Entries, { key: 'entries' })]
  root.render(createElement(StrictMode, null, createElement(FactotumProvider, { client }, shown)))
  await expect.poll(() => page.textContent).toContain('Before')

  const length = (): number => page.textContent.length
  let texts: string[] = []
  // A busy machine may show a whole answer at once; not each of several.
  for (let asked = 0; asked < 9 && texts.length === 0; asked += 1) {
    const before = length()
    const shown = renders.size
    await client.session(ID).send('A long question. '.repeat(60))
    await expect.poll(() => renders.size - shown, { interval: 5 }).toBe(2)
    await expect.poll(() => length() - before, { interval: 5 }).toBeGreaterThan(1100)
    const early = new Map(renders)
    await expect.poll(() => length() - before, { interval: 5 }).toBeGreaterThan(1500)
    const changed = [...renders].filter(([id, count]) => count !== early.get(id))
    // The turn may have ended in between, which is shown once (and twice in StrictMode).
    expect((renders.get('busy') ?? 0) - (early.get('busy') ?? 0)).toBeLessThanOrEqual(2)
    texts = changed.map(([name]) => name).filter((name) => name !== 'busy')
    await expect.poll(() => page.textContent).toContain('ready false')
  }
  expect(texts).toHaveLength(1)
  expect(texts).not.toContain('entries')
  root.unmount()
  client.close()
})
