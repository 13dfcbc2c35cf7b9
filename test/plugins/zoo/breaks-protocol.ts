/** Sends the server what no plugin may send. */
import { definePlugin } from 'factotum/plugin'
import { MessagePort } from 'node:worker_threads'

let isSpoiling = false
// oxlint-disable-next-line typescript/unbound-method
const post = MessagePort.prototype.postMessage
MessagePort.prototype.postMessage = function spoil(this: MessagePort, text: string) {
  post.call(this, isSpoiling ? { a: new Map() } : text)
}
export default definePlugin({
  name: 'breaks-protocol',
  version: '1.0.0',
  api: 1,
  title: 'breaks-protocol',
  description: 'Sends the server what no plugin may send.',
  hooks: {
    onMessage: () => {
      isSpoiling = true
    },
  },
})
