// Who speaks or who is waited for, in the head of a party.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ConversationView } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { plainName, StateMark } from '../../panels/marks'
import type { RealmModel } from '../../state/model'
import { memberName } from '../../state/talks'
import { words } from '../../words'
import type { InView } from '../kind'
import { isAtHand, partyWaitsForMe } from './state'
import { partyWords } from './words'

/** One line for the head of a party: who speaks or who is waited for. */
export function partyStanding(realm: RealmModel, view: ConversationView, mine: boolean): string {
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return ''
  if (p.executing) return partyWords.turnOf(plainName(memberName(realm, view, p.executing.target)))
  if (p.status !== 'paused') return ''
  if (p.newest === '') return partyWords.fresh_
  if (mine) return partyWords.waitsYou
  return p.waitingFor ? partyWords.waitsFor(plainName(memberName(realm, view, p.waitingFor))) : partyWords.waitsAnybody
}

/** Who speaks or who is waited for, beside the buttons of the head. */
export function PartyStanding({ view, realm }: InView) {
  const app = useApp()
  const p = realm.world.party
  const mine = partyWaitsForMe(app.model.value, view)
  const standing = partyStanding(realm, view, mine)
  if (standing === '') return null
  const reason = view.reason && !isPlain(realm, view) && p.status === 'paused' && p.newest !== '' ? view.reason : ''
  return (
    <div class={mine ? 'party-standing party-mine' : 'party-standing'}>
      <StateMark state={p.executing ? 'running' : mine ? 'reading' : 'waiting'} />
      <TwoLines of={standing + reason}>
        <span role="status" data-testid="party-standing">
          {standing}
          {reason && <span class="quiet"> {reason}</span>}
        </span>
      </TwoLines>
    </div>
  )
}

/**
 * Two lines at the most, and the rest on request: the head leaves room for what was said. Another text is cut again;
 * its element stays, so that it is read out.
 */
function TwoLines({ of, children }: { of: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  const [cut, setCut] = useState(false)
  const [whole, setWhole] = useState(false)
  useLayoutEffect(() => setWhole(false), [of])
  useLayoutEffect(() => {
    const e = box.current
    if (!e || whole) return
    const look = () => setCut(e.scrollHeight > e.clientHeight + 2) // letters may stand out by a pixel
    look()
    if (typeof ResizeObserver === 'undefined') return
    const watch = new ResizeObserver(look)
    watch.observe(e)
    return () => watch.disconnect()
  }, [whole, of])
  return (
    <div class="two-lines">
      <div ref={box} class={whole ? undefined : 'cut-lines'}>
        {children}
      </div>
      {(cut || whole) && (
        <button
          type="button"
          class="link"
          aria-expanded={whole}
          data-testid="standing-more"
          onClick={() => setWhole(!whole)}
        >
          {whole ? words.stage.less : words.stage.more}
        </button>
      )}
    </div>
  )
}

/** The reason says no more than who is waited for, or was before a restart. */
function isPlain(realm: RealmModel, view: ConversationView): boolean {
  return view.team.members.some((m) => view.reason === partyWords.isAsked(memberName(realm, view, m.id)))
}
