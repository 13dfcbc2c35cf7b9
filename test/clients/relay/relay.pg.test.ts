/** Relay's store, by artifacts of its compiler. */
import { judgeClient } from '../judge-client.ts'
import { openRelay } from '../pages/relay-page.ts'
import { compileForRelay } from './compile-for-relay.ts'

judgeClient('relay', openRelay(await compileForRelay()))
