import { expect, test } from 'vitest'
import { otherSubstance } from './other-substance.ts'

test.each([
  ['The gateway listens on port 8080.', 'The gateway of the shop listens on 8080.'],
  ['releases are approved by Grace', 'Grace approves releases.'],
  ['Der Dienst läuft nicht auf Port 80.', 'Der Dienst läuft auf keinem Port wie 80.'],
  ['On which port does the gateway listen? 8081', 'The gateway listens on port 8081.'],
  // Denied in other words.
  ['The printer of hall 3 is without toner.', 'The printer of hall 3 has no toner.'],
  ['The printer is out of toner.', 'The printer lacks toner.'],
  ["The printer doesn't have toner.", 'Toner is missing in the printer.'],
  ['Nobody may deploy on Fridays.', 'Deploying is not allowed on Fridays.'],
  ['Dem Drucker fehlt Toner.', 'Der Drucker hat keinen Toner.'],
  ['Der Drucker ist ohne Toner.', 'Der Drucker hat keinen Toner.'],
  ["L'imprimante manque de toner.", "L'imprimante est sans toner."],
  ['A la impresora le falta tóner.', 'La impresora está sin tóner.'],
  ['Alla stampante manca il toner.', 'La stampante è senza toner.'],
  ['Der Dienst läuft, außer am Sonntag.', 'Bis auf Sonntag läuft der Dienst.'],
  // Numbers written in another way.
  ['Backups are kept for seven days.', 'Backups are kept for 7 days.'],
  ['Das Lager hat drei Tore.', 'Das Lager hat 3 Tore.'],
  ['The limit is 10,000 rows.', 'The limit is 10000 rows.'],
  ['Die Grenze sind 10 000 Zeilen.', 'Die Grenze sind 10.000 Zeilen.'],
  ['倉庫は東京の港にあります。', '東京の港に倉庫があります。'],
])('%s → %s', (source, text) => {
  expect(otherSubstance(source, text)).toBeNull()
})

test.each([
  ['The gateway listens on port 8080.', 'The gateway listens on port 8081.', /8081/],
  ['The gateway has 120 ports.', 'The gateway has 12 ports.', /12/],
  ['Releases are approved by Grace.', 'Releases are approved by Grace or Bob.', /Bob/],
  ['Releases are approved by Grace.', 'Bob approves releases.', /Bob/],
  ['Releases are approved by Grace.', '**Bob** approves releases.', /Bob/],
  ['Releases are approved by Grace.', 'Releases are approved by Grace/Bob.', /Bob/],
  ['Releases are approved by Grace.', 'Grace approves releases. Bob approves releases, too.', /Bob/],
  ['The mirror is not used.', 'The mirror is used.', /negation/],
  ['The mirror is used.', "The mirror isn't used.", /negation/],
  ['The printer has no toner.', 'The printer has toner.', /negation/],
  ['The printer has toner.', 'The printer lacks toner.', /negation/],
  ['Der Drucker hat Toner.', 'Dem Drucker fehlt Toner.', /negation/],
  ['The service is not up on Sundays.', 'The service is up except on Sundays.', /negation/],
  ['The service is up except on Sundays.', 'The service is up on Sundays.', /exception/],
  ['Tous les serveurs sont à Lyon, sauf un.', 'Tous les serveurs sont à Lyon.', /exception/],
  ['Backups are kept for seven days.', 'Backups are kept for 17 days.', /17/],
  ['The limit is 10,000 rows.', 'The limit is 1000 rows.', /1000/],
  ['倉庫は東京の港にあります。', '会議は毎週月曜日に開かれます。', /hardly a word/],
  ['The mirror is in a cellar.', 'It grows well where summers stay warm.', /hardly a word/],
])('%s ↛ %s', (source, text, reason) => {
  expect(otherSubstance(source, text)).toMatch(reason)
})
