/** The client says that an origin is not taken where that is why a page gets no answer, and only there. */
import { afterEach, expect, test, vi } from 'vitest'
import { originRefusal } from '../../packages/client/src/origin-refusal.ts'

const URL_ = 'http://127.0.0.1:4000/graphql'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A page elsewhere. `answers`: what a browser lets it know of each attempt, by the mode of the request. */
function onPage(answers: (mode: RequestMode | undefined, nth: number) => boolean): void {
  let nth = 0
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:5173' })
  vi.stubGlobal('fetch', async (_: URL, { mode }: RequestInit) => {
    if (!answers(mode, (nth += 1))) throw new TypeError('Failed to fetch')
    return new Response()
  })
}

test('the server answers, but not to this page', async () => {
  onPage((mode) => mode === 'no-cors')
  expect(await originRefusal(URL_)).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining(':5173') })
})

test.each<[string, (mode: RequestMode | undefined, nth: number) => boolean]>([
  ['the server is away', () => false],
  ['the page may read its answers', () => true],
  ['the network comes back between two attempts', (_, nth) => nth > 1],
])('%s: that is not why', async (_, answers) => {
  onPage(answers)
  expect(await originRefusal(URL_)).toBeNull()
})
