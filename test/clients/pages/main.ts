/** What runs in the browser: one page by the client that it is told, for the test to use as a person would. */
import type { IntrospectionQuery } from 'graphql'
import type { ConcreteRequest } from 'relay-runtime'
import { must } from '../../../src/platform/must.ts'
import { openSocket } from '../live-socket.ts'
import { openApollo } from './apollo-page.ts'
import type { ChatEvent, OpenedPage, OpenPage, PageOptions } from './page.ts'
import { openRelay } from './relay-page.ts'
import { openTanstack } from './tanstack-page.ts'
import { openUrql } from './urql-page.ts'

async function openPage({ client, url, token, id }: PageOptions): Promise<OpenedPage> {
  const [open, place] = [await opener(client), { url, token, retryWait: () => pause(100) }]
  const socket = openSocket(place)
  const closeCodes: number[] = []
  socket.on('closed', (event) => void closeCodes.push((event as CloseEvent).code))
  const page = await open(place, socket)
  const after = await page.openChat(id)
  const events: ChatEvent[] = []
  page.followChat(id, after, ({ __typename, seq }) => void events.push({ __typename, seq }))
  return { page, after, events, closeCodes }
}

async function opener(client: PageOptions['client']): Promise<OpenPage> {
  switch (client) {
    case 'apollo':
      return openApollo
    case 'tanstack':
      return openTanstack
    case 'urql':
      return openUrql((await read('introspection.json')) as IntrospectionQuery)
    case 'relay': {
      const artifacts = (await read('artifacts.json')) as Record<string, ConcreteRequest>
      return openRelay((name) => must(artifacts[name], name))
    }
  }
}

async function read(path: string): Promise<unknown> {
  return (await fetch(path)).json()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

Object.assign(globalThis, { openPage })
