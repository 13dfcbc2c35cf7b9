/** Sends the server a list of a thousand million messages, whose first is such a list itself. */
import { definePlugin } from 'factotum/plugin'
import { MessagePort } from 'node:worker_threads'

let isSpoiling = false
// oxlint-disable-next-line typescript/unbound-method
const post = MessagePort.prototype.postMessage
MessagePort.prototype.postMessage = function spoil(this: MessagePort, text: unknown) {
  const list: unknown[] = []
  list.length = 2 ** 30
  post.call(this, isSpoiling ? Object.assign([list], { length: 2 ** 30 }) : text)
}
export default definePlugin({
  name: 'posts-lists',
  version: '1.0.0',
  api: 1,
  title: 'posts-lists',
  description: 'Sends the server a list of a thousand million messages, whose first is such a list itself.',
  hooks: {
    onMessage: () => {
      isSpoiling = true
    },
  },
})
