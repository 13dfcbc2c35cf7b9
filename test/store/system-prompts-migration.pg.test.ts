/** What was said in calls before system prompts were kept once is shown as before, and goes when it is old. */
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { readCallTexts, removeOldCallTexts } from '../../src/store/turn/model-call-texts.ts'
import { openBefore } from '../harness/older-database.ts'

const THIS = '20261127043000_system_prompts'

test('texts with a system prompt of their own keep it', async () => {
  await using older = await openBefore(THIS)
  await older.client.query(`
    INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('cli:a', 'cli', true);
    INSERT INTO model_call_texts (id, session_id, at, system, prompt, answer)
      SELECT 'aud_' || n, 'cli:a', now() - n * interval '5 days', 'You plan.', 'p' || n, NULL FROM generate_series(0, 2) n`)
  expect(await older.migrate()).toContain(THIS)
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: older.url, maxConnections: 1, logger })
  try {
    const kept = async () => [...(await readCallTexts(database, ['aud_0', 'aud_1', 'aud_2'])).values()]
    expect(await kept()).toContainEqual({ id: 'aud_2', system: 'You plan.', prompt: 'p2', answer: null })
    expect(await removeOldCallTexts(database, 7)).toBe(1)
    expect((await kept()).map(({ id }) => id).toSorted()).toEqual(['aud_0', 'aud_1'])
  } finally {
    await database.close()
  }
})
