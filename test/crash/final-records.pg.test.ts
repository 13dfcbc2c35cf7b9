/** What the judge is shown must show what is wrong: rows as no turn would leave them. */
import { mkdir, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newPublishedFileId } from '../../src/core/file/published-file.ts'
import { newId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { publishedFolder, publishedPath } from '../../src/store/files/published-bytes.ts'
import { seedDelivery } from '../contract/seed-delivery.ts'
import { seedSession } from '../contract/seed.ts'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { countPendingDeliveries, readFinalRecords } from './final-records.ts'
import { PUBLISH } from './session-load.ts'

test('a session that left no audit, lost a learning, and whose file is not there', async () => {
  await using home = await createTemporaryHome()
  await using server = await createTestDatabase()
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: server.url, maxConnections: 2, logger })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => database.close())
  const { prisma } = database
  const { id, taskIds, turnIds } = await seedSession(database, { id: 'cli:storm', messages: 1 })
  const [taskId = '', textId = ''] = taskIds
  const deliveryId = await seedDelivery(database, id, textId)
  await prisma.task.update({ where: { id: taskId }, data: { detail: `echo x >> marks; ${PUBLISH}` } })
  const learningId = newId('learning')
  await prisma.event.create({
    data: {
      sessionId: id,
      seq: 900,
      at: new Date(),
      turnId: turnIds[0] ?? '',
      type: 'Review',
      data: { taskId, learningId },
    },
  })
  const place = { databaseUrl: server.url, home: home.path }
  const records = await readFinalRecords(place, [id])
  expect(records.auditProblem).toBe('The audit has no seal.')
  expect(records.unaudited.filter((line) => line.endsWith('the audit says nothing'))).toHaveLength(3)
  expect(records.unaudited.at(-1)).toMatch(/has counted [1-9]\d* model calls, the audit 0$/)
  expect(records.lostLearnings).toEqual([learningId])
  expect(records.texts).toEqual([textId])
  expect(records.deliveries).toMatchObject([{ id: deliveryId, task_id: textId, status: 'DEAD' }])
  expect(records.publications).toEqual([{ task_id: taskId, files: 0, whole: 0 }])
  expect(await countPendingDeliveries(server.url, [id])).toBe(0)

  const [whole, gone] = [newPublishedFileId(), newPublishedFileId()]
  await mkdir(publishedFolder(home.path))
  await writeFile(publishedPath(home.path, whole), 'xy')
  for (const fileId of [whole, gone]) {
    const row = { name: 'x', size: 2n, contentType: 'text/plain', createdAt: new Date() }
    await prisma.publishedFile.create({ data: { id: fileId, sessionId: id, taskId, ...row } })
  }
  expect((await readFinalRecords(place, [id])).publications).toEqual([{ task_id: taskId, files: 2, whole: 1 }])
})
