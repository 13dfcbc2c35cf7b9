/**
 * The language model of the bench, in a process of its own: the tests' stub endpoint, which answers at once with one
 * command (`echo hi`), a good review and a short text; or, asked to hold, never.
 */
import { StubEndpoint } from '../test/model/stub-endpoint.ts'
import { answerWell } from '../test/model/good-answers.ts'
import { serveParent } from './helper-process.ts'

/** The stub remembers calls for tests to look at; here they would only fill memory. */
const REMEMBERED_CALLS = 100

let holding = false
const stub = await StubEndpoint.start({
  by: (call) => {
    if (stub.calls.length > REMEMBERED_CALLS) stub.calls.length = 0
    return holding ? () => {} : answerWell(call)
  },
})

const functions = {
  baseUrl: () => Promise.resolve(stub.baseUrl),
  hold: (isHolding: boolean) => {
    holding = isHolding
    return Promise.resolve()
  },
}
export type StubApi = typeof functions

serveParent(functions, () => stub.close())
