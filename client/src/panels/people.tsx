// The people who watch the realm.
import { words } from '../words'
import { useApp } from './context'
import { toneStyle } from './tones'

/** The maximum number of people whose names are shown. Of further people only the number is shown. */
const MAX_PEOPLE = 12

export function People() {
  const app = useApp()
  const { spectators, me } = app.model
  const n = Math.max(spectators.count, spectators.list.length)
  const unnamed = (spectators.unnamed ?? 0) - (me === null ? 1 : 0)
  if (n === 0 && unnamed <= 0) return null
  const shown = spectators.list.slice(0, MAX_PEOPLE)
  return (
    <div class="people" data-testid="people">
      <h3>{n > 0 ? words.roster.here(n) : words.roster.others}</h3>
      <ul>
        {shown.map((s) => (
          <li key={s.spectatorId}>
            <span class="dot" style={toneStyle(s.color)} />
            <span class="person">{s.name}</span>
            {s.spectatorId === me?.spectatorId && <span class="quiet"> {words.roster.you}</span>}
          </li>
        ))}
        {n === 1 && unnamed <= 0 && app.host.value && (
          <li>
            <button type="button" class="link" data-testid="empty-share" onClick={() => (app.dialog.value = 'share')}>
              {words.roster.invite}
            </button>
          </li>
        )}
        {n > shown.length && <li class="quiet">{words.roster.more(n - shown.length)}</li>}
        {unnamed > 0 && (
          <li class="quiet" data-testid="unnamed">
            {words.roster.unnamed(unnamed)}
          </li>
        )}
      </ul>
    </div>
  )
}
