/** How much a plugin's thread may take before it is ended. */
export interface ThreadLimits {
  /** Of its heap and its buffers together, garbage that waits for its collection included. */
  readonly memoryMb: number
  /** How often its memory is measured while it computes. */
  readonly measureMs: number
  /** Not before it has computed for so long since the last time. */
  readonly measureActiveMs: number
  /** From the thread's start until its module is loaded. */
  readonly loadMs: number
  readonly startMs: number
  readonly stopMs: number
  /** How often it is pinged. */
  readonly beatMs: number
  /** So many pings in a row without an answer: its event loop hangs. */
  readonly missedBeats: number
  /**
   * Calls that have not been answered, those that were given up included. More than the turns of a process make at
   * once, which have a row of calls each: a hook that is not called is counted nowhere.
   */
  readonly openCalls: number
  /** Messages between two beats, answers to calls left out. */
  readonly messagesPerBeat: number
  readonly charsPerBeat: number
}

/**
 * V8's own limit of the thread's heap. One that a single allocation exceeds aborts the whole process, so it lies above
 * the largest text and the largest list that V8 makes, and `memoryMb` is what holds.
 */
export const HEAP_LIMIT_MB = 4096

/** What holds; tests have shorter times. */
export const THREAD_LIMITS: ThreadLimits = {
  memoryMb: 256,
  measureMs: 100,
  measureActiveMs: 10,
  loadMs: 10_000,
  startMs: 30_000,
  stopMs: 5000,
  beatMs: 500,
  missedBeats: 6,
  openCalls: 2048,
  messagesPerBeat: 1000,
  charsPerBeat: 16 * 1024 * 1024,
}
