/**
 * Clients of the Model Context Protocol take a refused token for a call to log in by OAuth, and show what they are
 * answered where they register, in place of the reason.
 */
import { sendJson } from '../health/probes.ts'
import type { PlainRoute } from '../http/plain-route.ts'

/** In the form of OAuth's errors, of which those clients read the description. */
export const registerRoute: PlainRoute = {
  path: '/register',
  methods: 'POST',
  answer: ({ request, response }) => {
    if (!request.complete) response.setHeader('connection', 'close')
    sendJson(response, 404, {
      error: 'invalid_request',
      error_description:
        'There is no log-in by OAuth. Send a token of this server, "Authorization: Bearer <token>". One that was sent ' +
        'is unknown; it may have expired or been revoked.',
    })
    return Promise.resolve()
  },
}
