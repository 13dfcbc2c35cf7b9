import { expect, test } from 'vitest'
import { lostDetail } from './lost-detail.ts'

test.each([
  ['Only Grace deploys until version 3.', 'Until version 3, only Grace deploys.'],
  ['Releases are approved by Grace.', 'Grace approves releases.'],
  ['Note that the gateway listens on port 8080.', 'The gateway listens on port 8080.'],
  ['Our gateway listens on port 8080.', 'The gateway listens on port 8080.'],
  ['Since May, backups are kept for seven days.', 'Backups are kept for 7 days since May.'],
  ['Bekanntlich läuft der Dienst nur auf Port 80.', 'Der Dienst läuft nur auf Port 80.'],
  ['Seul Noé déploie Isar, jusqu’à la version 3.', 'Isar est déployé par Noé seul, jusqu’à la version 3.'],
  // Nouns of German sentences, which are no names.
  ['Die Sicherungen der Datenbank liegen in Oslo.', 'Die Backups liegen in Oslo.'],
  ['Der alte Server ist mit einer neuen Verschlüsselung im Keller.', 'Der Server ist verschlüsselt im Untergeschoss.'],
  // Also where only a preposition is before them.
  ['Der Dienst lauscht auf Port 8080 und nicht auf 80.', 'Der Dienst hört 8080 ab und nicht 80.'],
  ['Das steht im Handbuch auf Seite 12.', 'The handbook has it on p. 12.'],
  ['Die Sicherung läuft in neuen Zeitfenstern und ist kurz.', 'The backup is short.'],
  ['Logs are in /var/log/shop.', 'The logs of it are in /var/log/shop'],
])('%s → %s', (source, text) => {
  expect(lostDetail(source, text)).toBeNull()
})

test('what is in the place of another fact need not say what that said', () => {
  const [source, text] = [
    'The gateway only moved from port 8080 to port 8081.',
    'The gateway only listens on port 8081.',
  ]
  const replaced = 'The gateway only listens on port 8080.'
  expect(lostDetail(source, text)).toBe('"8080" is lost')
  expect(lostDetail(source, text, replaced)).toBeNull()
  expect(lostDetail(source, text.replace('only ', ''), replaced)).toBe('"only" is lost')
})

test.each([
  ['Only Grace deploys until version 3.', 'Grace deploys.', /"3" is lost/],
  ['Only Grace deploys.', 'Grace deploys.', /"Only" is lost/],
  ['Die Freigabe wird von Grace erteilt.', 'Die Freigabe wird erteilt.', /"Grace" is lost/],
  ['Der Dienst läuft auf Debian 12 und nicht auf Port 80.', 'Der Dienst läuft auf 12 und nicht auf 80.', /"Debian"/],
  ['Die Freigabe wird von Zimmer erteilt.', 'Die Freigabe wird erteilt.', /"Zimmer" is lost/],
  ['Grace deploys until Friday.', 'Grace deploys.', /"Friday" is lost/],
  ['Grace deploys the shop.', 'The shop is deployed.', /"Grace" is lost/],
  ['The shop is deployed by **Grace**.', 'The shop is deployed.', /"Grace" is lost/],
  ['The shift is full if it rains.', 'The shift is full.', /"if" is lost/],
  ['Der Dienst läuft nur nachts.', 'Der Dienst läuft nachts.', /"nur" is lost/],
  ['Seul Noé déploie Isar.', 'Noé déploie Isar.', /"Seul" is lost/],
  ['Logs are in /var/log/shop.', 'The logs are in a folder of the shop.', /"\/var\/log\/shop"/],
  ['Backups are kept for seven days.', 'Backups are kept for some days.', /"seven" is lost/],
])('%s ↛ %s', (source, text, lost) => {
  expect(lostDetail(source, text)).toMatch(lost)
})
