/** What was asked and answered in the example that the pictures show. In a session the later turn stands later here. */
import type { PlannedTurn, SpokenTurn } from './example-model.ts'

const TESTS =
  String.raw`for suite in store events intake turn graphql; do sleep 0.2; printf '\033[32m✓\033[0m %-8s \033[2m%s tests\033[0m\n' "$suite" $((24 + \${#suite})); done; printf '\n\033[1m148 passed\033[0m\n'`.replace(
    '\\$',
    '$',
  )

export const RELEASE: PlannedTurn = {
  message: 'Release 2.4 is due. Run the tests, and write the notes.',
  goal: 'Test what is to be released, then write its notes',
  again:
    'One test failed at first and passed when it ran again. The suite is to be run once more before the notes are written.',
  tasks: [
    {
      run: TESTS,
      expect: 'all suites pass',
      learn: 'The whole test suite has 148 tests and takes about four minutes.',
    },
    { run: 'ls -1 | wc -l', expect: 'it prints a number' },
    {
      run: String.raw`printf '# 2.4\n\n- Exports are streamed\n- Searches find parts of words\n- Two fixes in the calendar\n' > NOTES.md && cat NOTES.md`,
      expect: 'the notes name every change',
      learn: 'Release notes stand in NOTES.md, newest first, one line for each change.',
    },
    { say: 'Say that all tests pass, and show the notes.' },
  ],
  answer: `All **148 tests** pass, on the second run as well. The notes for 2.4 are in \`NOTES.md\`:

- Exports are streamed, so a large one no longer fills the memory.
- Searches find parts of words.
- Two fixes in the calendar.

Shall I tag the release?`,
}

export const TAG: PlannedTurn = {
  message: 'Yes. Tag it as v2.4.0, and push the tag.',
  goal: 'Tag the release and push the tag',
  tasks: [
    { run: 'git tag -a v2.4.0 -m "Release 2.4"', expect: 'the tag is there' },
    { run: 'git push origin v2.4.0', expect: 'the remote has the tag' },
    { say: 'Say that the tag is pushed.' },
  ],
  answer: 'The tag is pushed.',
}

export const INDEX: PlannedTurn = {
  message: 'Rebuild the search index, and tell me how many documents are in it.',
  goal: 'Rebuild the search index',
  tasks: [
    {
      run: `i=0; while [ $i -lt 900 ]; do i=$((i + 1)); echo "indexed $((i * 250)) of 225000 documents"; sleep 1; done`,
      expect: 'all documents are indexed',
    },
    { say: 'Say how many documents are indexed.' },
  ],
  answer: 'The index is rebuilt.',
}

export const PICKER: PlannedTurn = {
  message: 'Add the date picker that we talked about to the booking form.',
  goal: 'Add a date picker to the booking form',
  tasks: [{ run: 'npm install date-picker@4', expect: 'it is installed' }, { say: 'Say what was added.' }],
  answer: 'The date picker is there.',
}

/** One command that reads something, and what it taught. */
const look = (run: string, learn: string) => ({ run, expect: 'it prints something', learn })

export const HANDOVER: PlannedTurn = {
  message: 'Look around in the project, and remember what a new colleague should know.',
  goal: 'Find what a new colleague should know',
  tasks: [
    look('echo "node 24"', 'The project runs on Node 24; older versions are refused at start.'),
    look(
      'echo "main, release/2.x"',
      'Fixes for customers go to release/2.x first and are merged into main afterwards.',
    ),
    look('echo "18:00 UTC"', 'The nightly backup starts at 18:00 UTC and takes about 40 minutes.'),
    look('echo "eu-central"', 'The staging system stands in eu-central and is reset every Monday morning.'),
    look('echo "anna, ben"', 'Anna decides on releases; Ben stands in for her.'),
    { say: 'Say what is worth knowing.' },
  ],
  answer: `Five things that a new colleague should know are noted, and wait for a person to review them:

1. Node 24 is needed.
2. Fixes go to \`release/2.x\` first.
3. The backup starts at 18:00 UTC.
4. Staging is reset every Monday.
5. Anna decides on releases.`,
}

export const REPORT: PlannedTurn = {
  message: 'Send the figures of yesterday to the team.',
  goal: 'Send the figures of yesterday',
  tasks: [{ say: 'Give the figures of yesterday.' }],
  answer: 'Yesterday: **412 orders**, 9 returns, and a median answer after 1.8 seconds.',
}

export const ALERT: PlannedTurn = {
  message: 'Tell the people on call that the certificate runs out on Friday.',
  goal: 'Warn the people on call',
  tasks: [{ say: 'Warn of the certificate.' }],
  answer: 'The certificate of shop.example runs out on Friday at 12:00 UTC.',
}

export const BACKUP: SpokenTurn = {
  message: 'Why is the nightly backup slower than last week?',
  think:
    'The log of the backup has the times of each step. The dump itself grew little; the copy to the other site took twice as long.',
  calls: [
    String.raw`printf 'Mon  dump 11m  copy 14m\nTue  dump 11m  copy 15m\nWed  dump 12m  copy 31m\n'`,
    String.raw`printf 'wed 18:12  link to site B degraded: 480 of 1000 Mbit/s\n'`,
  ],
  answer: `The dump is as fast as ever; the **copy to site B** takes twice as long since Wednesday, because the link is degraded.

| Step | Tuesday | Wednesday |
| ---- | ------: | --------: |
| Dump |  11 min |    12 min |
| Copy |  15 min |    31 min |

Until it is repaired, compress before the copy:

\`\`\`sh
pg_dump shop | zstd -T0 | ssh site-b 'cat > /backup/shop.zst'
\`\`\``,
}

export const SUPPLIERS: SpokenTurn = {
  message: 'Which of our suppliers raised their prices this year, and by how much?',
  answer: `Three did, the others kept theirs:

| Supplier | Since | Change |
| -------- | ----- | -----: |
| Northern Paper | March | +4.5 % |
| Miller Prints | May | +2.0 % |
| Harbour Freight | July | +7.8 % |

Harbour Freight announced another change for January.`,
}

export const LISBON: SpokenTurn = {
  message: 'Three days in Lisbon for a team of eight in May: where should we stay?',
  answer:
    'Stay **near the castle**: it is quiet there at night, and the tram leads to the conference centre in twenty minutes.',
}

export const PLANNED = [RELEASE, TAG, INDEX, PICKER, HANDOVER, REPORT, ALERT]
export const SPOKEN = [BACKUP, SUPPLIERS, LISBON]
