/**
 * The leanest HTTP client there is here: node:http with connections kept open. Used for the product and for the floor
 * alike.
 */
import { Agent, request } from 'node:http'

export class JsonClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })
  readonly #headers: Readonly<Record<string, string>>

  constructor(token: string | null = null) {
    this.#headers = token === null ? {} : { authorization: `Bearer ${token}` }
  }

  /** Posts JSON; rejects for any status but 200. */
  post<Reply>(url: string, body: unknown): Promise<Reply> {
    const text = JSON.stringify(body)
    const headers = { ...this.#headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const reply = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(JSON.parse(reply) as Reply)
          else reject(new Error(`${response.statusCode} ${reply}`))
        })
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(text)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
