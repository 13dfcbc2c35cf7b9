/** A story whose agents all ask a stub endpoint, for the tests of a file or of a `describe`. */
import { afterAll, beforeAll } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { Story, storyConfig } from './story.ts'
import { stubProvider } from './stub-provider.ts'

/** To be read within tests and hooks. */
export interface StubStory {
  readonly stub: StubEndpoint
  readonly story: Story
}

/**
 * Begins before those tests and ends after them; the endpoint answers well until a test has it follow another rule.
 * `of`: a story of the file, which has this configuration meanwhile, in place of one of its own.
 */
export function useStubStory(of?: () => Story): StubStory {
  let begun: (StubStory & { readonly stack: AsyncDisposableStack }) | null = null
  beforeAll(async () => {
    await using stack = new AsyncDisposableStack()
    const stub = await StubEndpoint.start({ by: answerWell })
    stack.defer(() => stub.close())
    const config = { toml: stubProvider(stub) }
    const story = of?.() ?? stack.use(await Story.begin({ config }))
    if (of !== undefined) stack.use(await story.reconfigureForNow(storyConfig(config)))
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
