/** What is tried of the client where it is installed, by each Node. Its arguments: the URL, the token, a session. */

/** What it says where no WebSocket is. */
export const NO_SOCKET =
  "WebSocket implementation missing; on Node you can `import WebSocket from 'ws';` and pass `webSocketImpl: WebSocket` to `createClient`"

/** Prints `{ answer, resuming, problem }`; `problem`: what is said where Node has no WebSocket, and "ws" is used. */
export const ASKING_SCRIPT = `
import { connect } from '@factotum/client'
import { resuming } from '@factotum/client/resuming'
import '@factotum/client/ai-sdk'

const [url, token, id] = process.argv.slice(2)
let problem = null
let webSocketImpl
if (typeof WebSocket === 'undefined') {
  try {
    connect({ url, token })
  } catch (error) {
    problem = error.message
  }
  webSocketImpl = (await import('ws')).WebSocket
}
const client = connect({ url, token, webSocketImpl })
const asked = await client.session(id).ask('Forty-two?')
client.close()
console.log(JSON.stringify({ answer: asked.answer, resuming: typeof resuming, problem }))
`
