// Hooks that read from the state and render only when the result changes.
import { computed, type ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { deepComputed } from '../state/steady'

/**
 * Compares results deeply, for lists and records that of creates anew. deps: the values besides signals that of reads.
 */
export function useSelect<T>(of: () => T, deps: readonly unknown[]): T {
  return useAnswer(deepComputed, of, deps)
}

/** Compares results by identity, for a part of the state of any size. */
export function usePart<T>(of: () => T, deps: readonly unknown[]): T {
  return useAnswer(computed, of, deps)
}

function useAnswer<T>(ask: (of: () => T) => ReadonlySignal<T>, of: () => T, deps: readonly unknown[]): T {
  const kept = useRef<{ deps: readonly unknown[]; answer: ReadonlySignal<T> } | null>(null)
  if (!kept.current?.deps.every((d, i) => Object.is(d, deps[i]))) kept.current = { deps, answer: ask(of) }
  return kept.current.answer.value
}
