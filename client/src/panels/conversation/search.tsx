// The search field for all transcripts of the realm.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SearchHit } from '../../net/search'
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { useApp } from '../context'
import { SearchHits } from './search-hits'
import { useFound } from './use-found'

/** The minimum length of a search text, in characters. */
const LEAST = 2

export function Search({
  realm,
  onSearching,
  onPick,
}: {
  realm: RealmModel
  onSearching: (on: boolean) => void
  onPick: () => void
}) {
  const app = useApp()
  const field = useRef<HTMLInputElement>(null)
  const hits = useRef<HTMLUListElement | null>(null)
  const [text, setText] = useState('')
  const asked = text.trim()
  const on = asked.length >= LEAST
  const { found, busy, again } = useFound(realm, on ? asked : '')
  useEffect(() => onSearching(on), [on, onSearching])
  // When a conversation is chosen elsewhere on the page, the search ends, because its hits would cover the
  // conversation.
  const shown = app.conversations.shownCount.value
  const picked = useRef(shown)
  useEffect(() => {
    if (picked.current === shown) return
    picked.current = shown
    setText('')
  }, [shown])
  const clear = () => {
    setText('')
    field.current?.focus()
  }
  const pick = (h: SearchHit) => {
    app.conversations.openAtRow(h.conversationId, h.seq, h.messageId)
    picked.current = app.conversations.shownCount.peek()
    onPick()
  }
  const onKey = (e: KeyboardEvent) => {
    if (e.key === 'Escape' && text !== '') {
      e.preventDefault()
      e.stopPropagation()
      clear()
      return
    }
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return
    const list = [...(hits.current?.querySelectorAll('button') ?? [])]
    if (list.length === 0) return
    e.preventDefault()
    const i = list.indexOf(document.activeElement as HTMLButtonElement) + (e.key === 'ArrowDown' ? 1 : -1)
    if (i < 0) field.current?.focus()
    else list[Math.min(i, list.length - 1)]?.focus()
  }
  return (
    <div class={on ? 'search search-on' : 'search'} role="search" onKeyDown={onKey}>
      <span class="search-field">
        <input
          ref={field}
          type="text"
          inputMode="search"
          enterKeyHint="search"
          data-testid="talk-search"
          value={text}
          maxLength={200}
          placeholder={words.conversation.searchHint}
          aria-label={words.conversation.search}
          onInput={(e) => setText(e.currentTarget.value)}
        />
        {text !== '' && (
          <button type="button" class="icon-button" aria-label={words.conversation.clear} onClick={clear}>
            ✕
          </button>
        )}
      </span>
      {on && <SearchHits realm={realm} found={found} busy={busy} list={hits} onAgain={again} onPick={pick} />}
    </div>
  )
}
