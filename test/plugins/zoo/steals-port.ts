/** Finds the port and floods it. */
import { definePlugin } from 'factotum/plugin'
import { MessagePort } from 'node:worker_threads'

let port: MessagePort | null = null
// oxlint-disable-next-line typescript/unbound-method
const post = MessagePort.prototype.postMessage
MessagePort.prototype.postMessage = function steal(this: MessagePort, ...args: [unknown]) {
  // oxlint-disable-next-line typescript/no-this-alias
  port = this
  post.apply(this, args)
}
export default definePlugin({
  name: 'steals-port',
  version: '1.0.0',
  api: 1,
  title: 'steals-port',
  description: 'Finds the port and floods it.',
  hooks: {
    onMessage: async () => {
      for (;;) {
        for (let count = 0; count < 100; count += 1) port?.postMessage('{"type":"PONG"}')
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  },
})
