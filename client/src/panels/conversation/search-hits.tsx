// The hits of a search; each opens its row.
import type { RefObject } from 'preact'
import type { SearchHit } from '../../net/search'
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { ago, moment, words } from '../../words'
import type { Found } from './use-found'

interface Props {
  realm: RealmModel
  found: Found
  busy: boolean
  list: RefObject<HTMLUListElement | null>
  onAgain: () => void
  onPick: (hit: SearchHit) => void
}

export function SearchHits({ realm, found, busy, list, onAgain, onPick }: Props) {
  const shown = found !== null && 'got' in found ? found.got.filter((h) => !isErased(realm, h.conversationId)) : []
  return (
    <div class="hits" data-testid="talk-hits" aria-busy={busy}>
      <p class="quiet meta" role="status">
        {busy ? words.conversation.searching : said(found, shown.length)}{' '}
        {found !== null && 'failed' in found && (
          <button type="button" class="link" onClick={onAgain}>
            {words.conversation.again}
          </button>
        )}
      </p>
      {found !== null && 'got' in found && (
        <ul ref={list}>
          {shown.map((h) => (
            <li key={h.messageId}>
              <button type="button" class="hit" data-testid="talk-hit" onClick={() => onPick(h)}>
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
  )
}

function said(found: Found, n: number): string {
  if (found === null) return ''
  if ('failed' in found) return `${words.conversation.searchFailed} ${found.failed}`
  return n === 0 ? words.conversation.noHits : words.conversation.hits(n)
}
