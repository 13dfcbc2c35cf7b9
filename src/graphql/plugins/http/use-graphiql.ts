/**
 * GraphiQL is served by yoga, to browsers and without a token: the page holds nothing of anybody's. What it may load
 * and whom it may talk to is said here.
 */
import { shouldRenderGraphiQL } from 'graphql-yoga'
import type { LiveConfig } from '../../../config/config.ts'
import { badRequest } from '../../http/bad-request.ts'
import { jsonResponse } from '../../http/json-response.ts'
import { pagePolicy } from '../../http/page-policy.ts'
import type { DoorPlugin } from '../../operation/caller.ts'
import { withoutHttp } from './use-request-form.ts'

/** The page, made when it is first asked for: it is large, and so is what there is to hash. */
export class GraphiqlPage {
  readonly #render: () => Promise<string>
  #made: Promise<{ readonly html: string; readonly policy: string }> | null = null

  constructor(render: () => Promise<string>) {
    this.#render = render
  }

  load(): Promise<{ readonly html: string; readonly policy: string }> {
    this.#made ??= this.#render().then((html) => ({ html, policy: pagePolicy(html) }))
    return this.#made
  }
}

export function useGraphiql(page: GraphiqlPage | null, config: Pick<LiveConfig, 'current'>): DoorPlugin {
  return {
    onRequest({ request, endResponse, fetchAPI }) {
      if (!shouldRenderGraphiQL(request) || (page !== null && config.current().settings.graphiql)) return
      const error = badRequest('GraphiQL is switched off ("settings.graphiql").')
      endResponse(jsonResponse(fetchAPI, { status: 404, errors: [withoutHttp(error)] }))
    },
    async onResponse({ response: { headers } }) {
      if (page === null || headers.get('content-type')?.startsWith('text/html') !== true) return
      const { policy } = await page.load()
      headers.set('content-type', 'text/html; charset=utf-8')
      headers.set('content-security-policy', policy)
      headers.set('x-frame-options', 'DENY')
      headers.set('referrer-policy', 'no-referrer')
    },
  }
}
