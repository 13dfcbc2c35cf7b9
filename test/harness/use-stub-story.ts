/** A story whose agents all ask a stub endpoint, for the tests of a file or of a `describe`. */
import { afterAll, beforeAll } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { Story } from './story.ts'
import { stubProvider } from './stub-provider.ts'

/** To be read within tests and hooks. */
export interface StubStory {
  readonly stub: StubEndpoint
  readonly story: Story
}

/** Begins before those tests and ends after them; the endpoint answers well until a test has it follow another rule. */
export function useStubStory(): StubStory {
  let begun: (StubStory & { readonly stack: AsyncDisposableStack }) | null = null
  beforeAll(async () => {
    await using stack = new AsyncDisposableStack()
    const stub = await StubEndpoint.start({ by: answerWell })
    stack.defer(() => stub.close())
    const story = stack.use(await Story.begin({ config: { toml: stubProvider(stub) } }))
    begun = { stub, story, stack: stack.move() }
  })
  afterAll(() => begun?.stack.disposeAsync())
  const running = (): StubStory => must(begun, 'the story has begun')
  return {
    get stub() {
      return running().stub
    },
    get story() {
      return running().story
    },
  }
}
