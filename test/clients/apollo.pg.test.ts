/** Apollo Client 4 with its normalised cache. */
import { judgeClient } from './judge-client.ts'
import { openApollo } from './pages/apollo-page.ts'

judgeClient('apollo', openApollo)
