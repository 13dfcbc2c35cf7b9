/** What a model failed with is on the page of the server, for admins, until it answers again. */
import { expect, test } from 'vitest'
import { converse } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld } from './console-world.ts'

test.skipIf(!hasBrowser)(
  `the page of the server tells admins which model fails, and what to change${withoutBrowser}`,
  async () => {
    const refused = { status: 401, body: { error: { message: 'Wrong key' } } }
    await using stub = await StubEndpoint.start({ always: refused })
    await using world = await ConsoleWorld.begin({ config: { toml: stubProvider(stub) } })
    const ada = world.story.as('ada')
    await converse(ada, 'cli:fails', 'Say hi')
    await using adas = await world.open('ada', { path: '/server', width: 390 })
    const list = adas.page.getByRole('list', { name: 'Failing models' })
    const row = list.getByRole('listitem').filter({ hasText: 'stub:stub-1' })
    await row.getByText('MODEL_UNAUTHORIZED').waitFor()
    await row.getByText('api_key_env').waitFor()
    expect(await adas.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)

    await using bens = await world.open('ben', { path: '/server' })
    await bens.page.getByRole('heading', { name: 'Sandbox' }).waitFor()
    expect(await bens.page.getByRole('heading', { name: /models|Processes/ }).count()).toBe(0)

    stub.follow({ by: answerWell })
    await converse(ada, 'cli:fails', 'Say hi')
    await list.waitFor({ state: 'hidden' })
  },
)
