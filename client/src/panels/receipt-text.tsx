// The receipt of an erasure: what was changed, and what cannot be reached.
import type { Receipt } from '../net/protocol.gen'
import { clock, count, plural, words } from '../words'

/**
 * The keys of receipt.changed for things that the page shows elsewhere too, the most important first. All other keys
 * are for the server's own records.
 */
const SEEN = ['conversations', 'messages', 'findings', 'quests', 'artifacts', 'insights', 'names', 'skills']

export function ReceiptText({ receipt }: { receipt: Receipt | null }) {
  const w = words.erasure
  // The erasure has happened, but the page did not get its receipt.
  if (!receipt) {
    return (
      <p data-testid="receipt" role="status">
        {w.gone}
      </p>
    )
  }
  const said = (what: string) => (n: number) => (w.things[what] ? plural(n, w.things[what]) : `${count(n)} ${what}`)
  const changed = Object.entries(receipt.changed).filter(([, n]) => n > 0)
  // List the keys in SEEN first, then all others in one line.
  const seen = SEEN.flatMap((what) => changed.filter(([k]) => k === what))
  const records = changed.filter(([k]) => !SEEN.includes(k)).map(([what, n]) => said(what)(n))
  const unreached = receipt.unreached
  return (
    <div class="receipt" data-testid="receipt" role="status" tabIndex={0}>
      {receipt.doneAt && <p class="quiet">{w.took(clock(receipt.doneAt))}</p>}
      <section>
        <h3>{w.changed}</h3>
        {changed.length === 0 ? (
          <p class="quiet">{w.doneNothing}</p>
        ) : (
          <ul>
            {seen.map(([what, n]) => (
              <li key={what}>{said(what)(n)}</li>
            ))}
            {records.length > 0 && <li class={seen.length > 0 ? 'quiet' : undefined}>{w.records(records)}</li>}
            {receipt.removed && receipt.removed.length > 0 && <li class="quiet">{w.setAside(receipt.removed)}</li>}
          </ul>
        )}
      </section>
      <section>
        <h3>{w.unreached}</h3>
        {unreached.length === 0 ? (
          <p class="quiet">{w.unreachedNone}</p>
        ) : (
          <ul>
            {unreached.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}
