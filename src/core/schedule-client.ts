/**
 * What stands where a message names the token that brought it, for the messages of schedules. No token can have such a
 * name.
 */
const PREFIX = 'schedule:'

export function scheduleClient(scheduleId: string): string {
  return `${PREFIX}${scheduleId}`
}

export function isScheduleClient(client: string): boolean {
  return client.startsWith(PREFIX)
}
