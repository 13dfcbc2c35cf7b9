/**
 * The mutants of `npm run test:mutants`. A promise at the product's centre has one here; whoever adds such a promise
 * adds a mutant that breaks it. When code moves, `mutants.test.ts` says which entry no longer fits.
 */
import type { Mutant } from './mutant.ts'

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'fence-without-epoch',
    promise: 'A commit under an old epoch writes nothing.',
    file: 'src/store/turn/turn-commit.ts',
    find: 'AND x.owner = $2 AND x.epoch = $3',
    replace: 'AND x.owner = $2 AND $3::int IS NOT NULL',
    tests: ['test/worker/fence.pg.test.ts'],
  },
  {
    name: 'fence-without-owner',
    promise: 'A commit of a node that does not own the session writes nothing.',
    file: 'src/store/turn/turn-commit.ts',
    find: 'AND x.owner = $2 AND x.epoch = $3',
    replace: 'AND $2::int IS NOT NULL AND x.epoch = $3',
    tests: ['test/worker/fence.pg.test.ts'],
  },
  {
    name: 'patches-beside-the-fence',
    promise: 'Tasks change only under the lease.',
    file: 'src/store/turn/turn-commit-plan.ts',
    find: `    FROM \${FENCE}, jsonb_to_recordset(\${bind(JSON.stringify(rows))}::jsonb) AS p (id text, \${PATCH_COLUMNS})`,
    replace: `    FROM (SELECT \${FENCE.length}) AS w_fence, jsonb_to_recordset(\${bind(JSON.stringify(rows))}::jsonb) AS p (id text, \${PATCH_COLUMNS})`,
    tests: ['test/worker/fence.pg.test.ts'],
  },
  {
    name: 'files-beside-the-fence',
    promise: 'Files are published only under the lease.',
    file: 'src/store/turn/turn-commit-records.ts',
    find: `    FROM \${FENCE}, jsonb_to_recordset(\${bind(JSON.stringify(files))}::jsonb)`,
    replace: `    FROM (SELECT \${FENCE.length}) AS w_fence, jsonb_to_recordset(\${bind(JSON.stringify(files))}::jsonb)`,
    tests: ['test/worker/fence.pg.test.ts'],
  },
  {
    name: 'command-before-running',
    promise: 'RUNNING is durable before anything runs.',
    file: 'src/turn/steps/run-program.ts',
    find: '  await context.journal.flushed()\n',
    replace: '',
    tests: ['test/worker/running-before-start.pg.test.ts'],
  },
  {
    name: 'notified-meanwhile-forgotten',
    promise: 'Work that is notified while its session occupies a slot is begun as soon as the slot is free.',
    file: 'src/worker/worker.ts',
    find: '      slot.again = true',
    replace: '      slot.again = false',
    tests: ['test/worker/notified-while-running.pg.test.ts'],
  },
  {
    name: 'stop-state-goes-back',
    promise: 'A drain that is requested after the lease was lost lets nothing be released.',
    file: 'src/worker/stop-state.ts',
    find: 'if (!this.reaches(level)) this.#level = level',
    replace: 'this.#level = level',
    tests: ['src/worker/stop-state.test.ts'],
  },
]
