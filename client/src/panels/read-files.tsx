// How many files the agents of the process have read, of how many, while they read for long.
import type { RealmModel } from '../state/model'
import { readingNow } from '../state/reading'
import { words } from '../words'
import { useSelect } from './use-select'

interface Props {
  realm: RealmModel
  /** Whether a bar is drawn beside the numbers. */
  bar?: boolean
}

export function ReadFiles({ realm, bar = false }: Props) {
  const now = useSelect(() => readingNow(realm), [realm])
  if (!now) return null
  const text = words.stage.read(now.read, now.total)
  return (
    <span class="read-files" data-testid="read-files" data-read={now.read} data-total={now.total}>
      {bar && <progress max={now.total} value={now.read} aria-label={text} />}
      <span>{text}</span>
    </span>
  )
}
