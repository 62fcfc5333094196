// The command palette: a text field and the entries that match its text. The page loads this component when the
// palette is first opened.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { useSelect } from '../panels/use-select'
import { paletteWords as w } from '../words-palette'
import { guideOf } from '../state/guide'
import { isHost } from '../state/select'
import { entriesOf, withFound, withQuestion, type Entry, type Target } from './entries'
import { changed, moved, typing } from './list'
import { PaletteList } from './palette-list'
import { useFiles } from './use-files'

interface Props {
  onPick: (target: Target) => void
  onClose: () => void
}

export function Palette({ onPick, onClose }: Props) {
  const app = useApp()
  const pointed = useRef(-1)
  const known = useSelect(() => entriesOf(app.model), [app])
  // A signal and not a state, because a key can be pressed before the component renders the typed text.
  const now = useSignal(typing(known, ''))
  const list = now.value
  const { realm } = app.model
  const typed = list.typed.trim()
  const { found, busy, failed } = useFiles(realm?.id ?? '', realm && realm.world.map.files > 0 ? typed : '')
  const guide = useSelect(() => (isHost(app.model) ? guideOf(app.model) : null), [app])
  const named = useMemo(() => withFound(known, found), [known, found])
  const all = useMemo(() => withQuestion(named, typed, guide), [named, typed, guide])
  useEffect(() => {
    now.value = changed(now.peek(), all, pointed.current)
  }, [now, all])
  useEffect(() => {
    if (app.host.peek()) app.send({ type: 'player:list-realms' })
  }, [app])
  const pick = (e: Entry | undefined) => {
    if (e === undefined) return
    onClose()
    onPick(e.target)
  }
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.isComposing) return
    const to = moved(now.peek(), e.key)
    if (to) now.value = to
    else if (e.key === 'Enter') pick(now.peek().entries[now.peek().at])
    else return
    e.preventDefault()
  }
  return (
    <Dialog title={w.title} onClose={onClose} testid="palette">
      <input
        type="text"
        role="combobox"
        data-first
        data-testid="palette-text"
        value={list.typed}
        maxLength={200}
        placeholder={w.hint}
        aria-label={w.label}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={list.at >= 0 ? `palette-${list.at}` : undefined}
        onInput={(e) => {
          const text = e.currentTarget.value
          now.value = typing(withQuestion(named, text.trim(), guide), text)
        }}
        onKeyDown={onKeyDown}
      />
      <PaletteList list={list} onPoint={(i) => (pointed.current = i)} onPick={pick} />
      <p class="quiet meta" role="status">
        {list.entries.length > 0
          ? w.found(list.entries.length, list.more || !!found.more)
          : busy
            ? w.busy
            : w.none(typed)}
        {failed !== null && ` ${w.failed(failed)}`}
      </p>
    </Dialog>
  )
}
