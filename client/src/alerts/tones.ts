// Short synthesized tones, one for each alert.
import type { Alert } from './happened'

/**
 * The frequencies of each tone's notes in hertz: they rise where the person has to act, and fall where something
 * ended.
 */
const NOTES: Readonly<Record<Alert, readonly number[]>> = {
  door: [660, 880],
  turn: [523, 659, 784],
  done: [784, 659, 523],
  critical: [392, 392],
  lost: [330, 247],
}

/** LENGTH: the length of a note in seconds. LOUDNESS: a fraction of full volume. */
const LENGTH = 0.14
const LOUDNESS = 0.08

let context: AudioContext | null = null

/**
 * Plays the tone of an alert. Does nothing if the browser has no sound or does not allow sound before the first
 * click.
 */
export function play(alert: Alert): void {
  try {
    context ??= new AudioContext()
    const out = context
    NOTES[alert].forEach((frequency, i) => {
      const at = out.currentTime + i * LENGTH
      const tone = out.createOscillator()
      const volume = out.createGain()
      tone.type = 'triangle'
      tone.frequency.value = frequency
      volume.gain.setValueAtTime(LOUDNESS, at)
      volume.gain.exponentialRampToValueAtTime(0.0001, at + LENGTH)
      tone.connect(volume).connect(out.destination)
      tone.start(at)
      tone.stop(at + LENGTH)
    })
  } catch {
    context = null
  }
}
