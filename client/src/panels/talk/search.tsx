// The search through what was said in a realm: the server finds, a hit opens its
// conversation at its row.
import { useEffect, useRef, useState } from 'preact/hooks'
import { search, type Found, type SearchHit } from '../../net/search'
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { ago, moment, words } from '../../words'
import { useApp } from '../context'

/** How long nobody has typed before the server is asked, in milliseconds. */
const PAUSE_MS = 250
/** Letters from which on it is a search. */
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
  const hits = useRef<HTMLUListElement>(null)
  const [text, setText] = useState('')
  const [found, setFound] = useState<Found>(null)
  const [busy, setBusy] = useState(false)
  const [tries, setTries] = useState(0)
  const asked = text.trim()
  const on = asked.length >= LEAST
  useEffect(() => onSearching(on), [on])
  useEffect(() => {
    setFound(null)
    setBusy(on)
    if (!on) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      void search(realm.id, asked, '', stop.signal).then((answer) => {
        if (stop.signal.aborted) return
        setFound(answer ?? { failed: '' })
        setBusy(false)
      })
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [asked, realm.id, tries])
  // Whatever else brings a conversation forth ends the search: its hits would lie over it.
  const shown = app.talks.shown.value
  const picked = useRef(shown)
  useEffect(() => {
    if (picked.current === shown) return
    picked.current = shown
    setText('')
  }, [shown])
  // What was erased is not among what was found, however long ago that was.
  const gone = realm.world.erased.at(-1) ?? ''
  const known = useRef(gone)
  useEffect(() => {
    if (known.current !== gone) setTries((n) => n + 1)
    known.current = gone
  }, [gone])
  const hitsOf = (list: readonly SearchHit[]) => list.filter((h) => !isErased(realm, h.conversationId))
  const clear = () => {
    setText('')
    field.current?.focus()
  }
  const pick = (h: SearchHit) => {
    app.talks.goTo(h.conversationId, h.seq, h.messageId)
    picked.current = app.talks.shown.peek()
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
          placeholder={words.chats.searchHint}
          aria-label={words.chats.search}
          onInput={(e) => setText(e.currentTarget.value)}
        />
        {text !== '' && (
          <button type="button" class="icon-button" aria-label={words.chats.clear} onClick={clear}>
            ✕
          </button>
        )}
      </span>
      {on && (
        <div class="hits" data-testid="talk-hits" aria-busy={busy}>
          <p class="quiet meta" role="status">
            {busy
              ? words.chats.searching
              : found === null
                ? ''
                : 'failed' in found
                  ? `${words.chats.searchFailed} ${found.failed}`
                  : hitsOf(found.hits).length === 0
                    ? words.chats.noHits
                    : words.chats.hits(hitsOf(found.hits).length)}{' '}
            {found !== null && 'failed' in found && (
              <button type="button" class="link" onClick={() => setTries(tries + 1)}>
                {words.chats.again}
              </button>
            )}
          </p>
          {found !== null && 'hits' in found && (
            <ul ref={hits}>
              {hitsOf(found.hits).map((h) => (
                <li key={h.messageId}>
                  <button type="button" class="hit" data-testid="talk-hit" onClick={() => pick(h)}>
                    <span class="hit-head">
                      <span class="hit-title">{h.title}</span>
                      <time class="quiet" dateTime={h.at} title={moment(h.at)}>
                        {ago(h.at, Date.now())}
                      </time>
                    </span>
                    <span class="hit-text">
                      {h.name && <span class="quiet">{h.name}: </span>}
                      {h.parts.map((p, i) => (p.hit ? <mark key={i}>{p.text}</mark> : p.text))}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </div>
  )
}
