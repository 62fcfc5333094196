// How a view asks a question of the state: it is drawn again only when the answer is another one.
import { computed, type ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { steady } from '../state/steady'

/**
 * The answer to of, compared by what it says: for lists and records that are made anew at each asking. deps: what of
 * uses besides signals; where one of them changes, the new of is asked.
 */
export function useSelect<T>(of: () => T, deps: readonly unknown[]): T {
  return useAnswer(steady, of, deps)
}

/** The answer to of, compared by identity: for a part of the state, however large. */
export function usePart<T>(of: () => T, deps: readonly unknown[]): T {
  return useAnswer(computed, of, deps)
}

function useAnswer<T>(ask: (of: () => T) => ReadonlySignal<T>, of: () => T, deps: readonly unknown[]): T {
  const kept = useRef<{ deps: readonly unknown[]; answer: ReadonlySignal<T> } | null>(null)
  if (!kept.current?.deps.every((d, i) => Object.is(d, deps[i]))) kept.current = { deps, answer: ask(of) }
  return kept.current.answer.value
}
