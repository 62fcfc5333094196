// Hooks that read from the state and render only when the result changes.
import { computed, type ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { deepComputed } from '../state/steady'

/**
 * Returns the result of `of`, and renders when the result has changed. Compares results deeply, because `of` can create
 * a new list or record at each call. deps: the values that `of` reads, except signals.
 */
export function useSelect<T>(of: () => T, deps: readonly unknown[]): T {
  return useAnswer(deepComputed, of, deps)
}

/** Like useSelect, but compares results by identity. For an `of` that returns a part of the state, of any size. */
export function usePart<T>(of: () => T, deps: readonly unknown[]): T {
  return useAnswer(computed, of, deps)
}

function useAnswer<T>(ask: (of: () => T) => ReadonlySignal<T>, of: () => T, deps: readonly unknown[]): T {
  const kept = useRef<{ deps: readonly unknown[]; answer: ReadonlySignal<T> } | null>(null)
  if (!kept.current?.deps.every((d, i) => Object.is(d, deps[i]))) kept.current = { deps, answer: ask(of) }
  return kept.current.answer.value
}
