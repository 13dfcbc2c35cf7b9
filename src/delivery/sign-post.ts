/**
 * The headers by which a receiver knows that a post is ours, is whole and is new: Standard Webhooks
 * (https://www.standardwebhooks.com). With two valid secrets there are two signatures, and either will do.
 */
import { Webhook } from 'standardwebhooks'

export interface SignedPost {
  /** The delivery's id: the same at each attempt, so that a receiver can tell a repeat. */
  readonly id: string
  /** The time of the attempt, so that a receiver can refuse a replayed post. */
  readonly at: Date
  readonly body: string
}

export function signPost(secrets: readonly string[], { id, at, body }: SignedPost): Readonly<Record<string, string>> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  }
}
