/** Mutants of once-only: what is posted, fired and stored, and under which commit. */
import type { Mutant } from './mutant.ts'

const OUTBOX = ['test/delivery/outbox.pg.test.ts']

export const MUTANTS_OF_ONCE: readonly Mutant[] = [
  {
    name: 'posted-without-its-commit',
    promise: 'A webhook is posted only what was committed: a refused commit leaves no delivery.',
    file: 'src/store/turn/turn-commit.sql.ts',
    find: '    FROM ${FENCE} f, jsonb_to_recordset(${json(deliveries)})',
    replace:
      '    FROM (SELECT -- ${FENCE}\n      webhook, webhook_token FROM sessions WHERE id = $1) f, jsonb_to_recordset(${json(deliveries)})',
    tests: ['test/worker/fence.pg.test.ts'],
  },
  {
    name: 'joined-ends-before-its-row',
    promise:
      'The end of a message that a turn has taken along is committed with that turn, and its row with its event.',
    file: 'src/turn/finish-turn.ts',
    find: '  const joined = endJoined(context, { status, failure, at })\n',
    replace: '  const joined = endJoined(context, { status, failure, at })\n  await context.journal.flushed()\n',
    tests: ['test/stories/busy-policies.pg.test.ts'],
  },
  {
    name: 'posted-by-two-processes',
    promise: 'A delivery is attempted by one process at a time.',
    file: 'src/store/delivery.ts',
    find: 'WHERE d.id = $1 AND ${PENDING} AND d.next_attempt_at <= now() AND s.id',
    replace: 'WHERE d.id = $1 AND ${PENDING} AND s.id',
    tests: OUTBOX,
  },
  {
    name: 'posted-again-when-delivered',
    promise: 'What a receiver has taken is not posted again.',
    file: 'src/store/delivery.ts',
    find: 'UPDATE deliveries d SET status = $3::delivery_status, last_status_code',
    replace:
      "UPDATE deliveries d SET status = (CASE $3 WHEN 'DELIVERED' THEN 'PENDING' ELSE $3 END)::delivery_status, last_status_code",
    tests: OUTBOX,
  },
  {
    name: 'delivery-not-woken',
    promise: 'What was committed and never woken is posted.',
    file: 'src/delivery/outbox.ts',
    find: 'for (const sessionId of waiting) this.wake(sessionId)',
    replace: 'for (const sessionId of waiting.slice(1)) this.wake(sessionId)',
    tests: OUTBOX,
  },
  {
    name: 'stopped-attempt-counts',
    promise: 'An attempt that a stopping process breaks off does not count, and another process makes it.',
    file: 'src/delivery/outbox.ts',
    find: '      await handBackDelivery(database, claimed)\n',
    replace: '',
    tests: OUTBOX,
  },
  {
    name: 'schedule-fired-twice',
    promise: 'A schedule fires once, however many processes poll.',
    file: 'src/store/schedules/schedule-runs.ts',
    find: 'version = s.version + 1 FROM input\n    WHERE s.id = input.schedule_id AND s.version = input.version RETURNING',
    replace: 'version = s.version + 1 FROM input\n    WHERE s.id = input.schedule_id RETURNING',
    tests: ['test/schedules/scheduler.pg.test.ts'],
  },
  {
    name: 'answer-settled-in-two-commits',
    promise: 'An answer whose plan says what follows settles question, learnings and facts in one commit.',
    file: 'src/store/turn/turn-commit.ts',
    find: 'await database.transaction((transaction) => runWithAnswers(transaction, target, ready))',
    replace: 'await runWithAnswers(database, target, ready)',
    tests: ['test/stories/change-over-time.pg.test.ts'],
  },
  {
    name: 'outcome-invented',
    promise: 'What a plan says that follows from an answer has only names and numbers that a person said.',
    file: 'src/knowledge/judge-answer.ts',
    find: 'if (missingIn(said, text, germanNouns(text)) !== null) return null',
    replace: 'if (missingIn(said + text, text, germanNouns(text)) !== null) return null',
    tests: ['test/stories/change-over-time.pg.test.ts'],
  },
]
