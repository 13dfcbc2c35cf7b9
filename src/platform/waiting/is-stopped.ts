/** True: who asks has given up. False also when the time of an AbortSignal.timeout was over: that is a failure. */
export function isStopped(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError')
}
