/** urql with its normalised cache, graphcache. */
import { readFileSync } from 'node:fs'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { judgeClient } from './judge-client.ts'
import { openUrql } from './pages/urql-page.ts'

judgeClient('urql', openUrql(introspectionFromSchema(buildSchema(readFileSync('schema.graphql', 'utf8')))))
