// What a party shows beside its rows: who is waited for, who is asked next, the team's
// task, what came back with a session; and, where words are written, as whom one speaks
// and the chips that ask somebody.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ConversationView } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { humans, inOrder, isAtHand, missingIn, partyWaitsForMe, saidIn, voice } from '../../state/party'
import { colorOf } from '../../state/select'
import { memberName, memberOf } from '../../state/talks'
import { ago, count, join, plural, words } from '../../words'
import { useApp } from '../context'
import { plainName, Shield, StateMark } from '../marks'
import { Plain } from '../plain'
import { addressOf, asks, drops, toggleAsked, toggleDropped } from './marks-said'
import { useWritten } from './written'

/** Of the queue this many are named. */
const MOST_ASKED = 5
/** A longer task is shown by its first line until somebody asks for more, in characters. */
const TASK_LINE = 40
/** A long list of who said how much is cut. */
const MOST_SPEAKERS = 6

/** One line for the head of a party: who speaks or who is waited for. */
export function partyStanding(realm: RealmModel, view: ConversationView, mine: boolean): string {
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return ''
  if (p.executing) return words.party.turnOf(plainName(memberName(realm, view, p.executing.target)))
  if (p.status !== 'paused') return ''
  if (p.newest === '') return words.party.fresh_
  if (mine) return words.party.waitsYou
  return p.waitingFor
    ? words.party.waitsFor(plainName(memberName(realm, view, p.waitingFor)))
    : words.party.waitsAnybody
}

/** Who speaks or who is waited for, beside the buttons of the head. */
export function PartyStanding({ view, realm }: { view: ConversationView; realm: RealmModel }) {
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
  return view.team.members.some((m) => view.reason === words.party.isAsked(memberName(realm, view, m.id)))
}

/** Who is asked next and what the team works on. */
export function PartyHead({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const app = useApp()
  const [text, write] = useWritten(view.conversationId)
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return null
  const queue = inOrder(p)
  const first = queue.slice(0, MOST_ASKED)
  return (
    <div
      class="party-head"
      data-testid="party"
      data-status={p.status}
      data-waiting={p.waitingFor}
      data-executing={p.executing?.target ?? ''}
    >
      {first.length > 0 && (
        <div class="party-queue" role="group" aria-label={words.party.next} data-testid="party-queue">
          <span class="quiet" aria-hidden="true">
            {words.party.next}
          </span>
          {first.map((item) => {
            const m = memberOf(view, item.target)
            const name = memberName(realm, view, item.target)
            const intent = words.party.intents[item.intent] ?? ''
            const shown = (
              <>
                <Shield id={item.target} name={name} color={m?.color ?? colorOf(realm, item.target)} />
                <span class="chip-name">{plainName(name)}</span>
                {intent && <span class="quiet">{intent}</span>}
              </>
            )
            if (!m || !app.host.value) {
              return (
                <span key={item.n} class="party-asked" title={intent ? `${name}, ${intent}` : name}>
                  {shown}
                </span>
              )
            }
            const address = addressOf(m, view.team.members)
            return (
              <button
                key={item.n}
                type="button"
                class="chip-button party-asked"
                aria-pressed={drops(text, address)}
                aria-label={words.party.takeBack(intent ? `${name}, ${intent}` : name)}
                title={words.party.takeBackHint(name)}
                data-testid={`asked-${item.target}`}
                onClick={() => write(toggleDropped(text, address))}
              >
                {shown}
                <span class="quiet" aria-hidden="true">
                  ✕
                </span>
              </button>
            )
          })}
          {queue.length > first.length && <span class="quiet">{words.party.more(queue.length - first.length)}</span>}
        </div>
      )}
      {p.teamTask && <Task text={p.teamTask} />}
    </div>
  )
}

/** What the team works on: one line, and the rest of it on request. */
function Task({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  return (
    <div class="party-task" data-testid="party-task">
      <p class={whole ? 'talk-task' : 'talk-task one-line'}>
        <strong>{words.party.task}:</strong> <Plain text={text} />
      </p>
      {text.length > TASK_LINE && (
        <button type="button" class="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? words.stage.less : words.stage.more}
        </button>
      )}
    </div>
  )
}

/** "As Ada": in a team of several people another may be chosen; in others the place to write says it. */
function SpeakAs({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const app = useApp()
  const me = app.model.value.me?.spectatorId
  const people = humans(view.team)
  if (people.length < 2) return null
  const now = voice(app.model.value, view)
  const asked = app.pending.value.some((p) => p.frame.type === 'team:take-member' && p.status !== 'refused')
  const here = new Map(app.model.value.spectators.list.map((s) => [s.spectatorId, s.name]))
  /** Who else has the place and is here; "" for nobody. */
  const holder = (id: string) =>
    realm.world.party.seats
      .filter((s) => s.memberId === id && s.spectatorId !== me)
      .map((s) => here.get(s.spectatorId) ?? '')[0] ?? ''
  return (
    <label class="party-voice quiet" data-testid="party-voice" data-member={now}>
      {words.party.speakAs}
      <select
        data-testid="party-speak-as"
        aria-label={words.party.speakHint}
        title={words.party.speakHint}
        disabled={asked}
        value={now}
        onChange={(e) =>
          app.send({ type: 'team:take-member', ...(e.currentTarget.value ? { memberId: e.currentTarget.value } : {}) })
        }
      >
        {now === '' && <option value="">{words.party.speakFree}</option>}
        {people.map((x) => {
          const name = plainName(x.displayName || x.name)
          return (
            <option key={x.id} value={x.id} disabled={holder(x.id) !== ''}>
              {holder(x.id) ? words.party.held(name, holder(x.id)) : name}
            </option>
          )
        })}
      </select>
    </label>
  )
}

/** After a restore: what came back, and who of the speakers is not in the team (S2-09, S2-12). */
export function SessionNotices({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const app = useApp()
  const notice = realm.sessions[view.conversationId]
  const missing = missingIn(view)
  // After a reload the event is not here any more; the rows still say it, until it has been read.
  const told = app.talks.wasRead(view.conversationId, missing)
  const warning = notice?.warning
    ? notice.warning.message.replace(/^⚠️?\s*/u, '').replace(/\n\s+/g, '\n')
    : missing.length > 0 && !told
      ? words.party.missing(missing.map((x) => x.name).join(', '))
      : ''
  const back = app.talks.cameBack(view.conversationId)
  const restored = back !== null
  useEffect(() => {
    if (!restored || warning !== '') return
    const timer = setTimeout(() => app.talks.readSession(view.conversationId, []), STAYS_MS)
    return () => clearTimeout(timer)
  }, [restored, warning])
  if (!restored && !warning) return null
  const by = byWhom(view, back?.by ?? {})
  return (
    <div
      class={warning ? 'session-notice session-warning' : 'session-notice'}
      role="status"
      data-testid="session-notice"
    >
      <StateMark state={warning ? 'interrupted' : 'done'} />
      <div>
        {restored && (
          <p data-testid="session-restored">
            {words.party.restored(back.messages)} {by !== '' && <span class="quiet">{by}. </span>}
            {view.createdAt && <span class="quiet">{words.party.since(ago(view.createdAt, Date.now()))}</span>}
          </p>
        )}
        {warning && (
          <p class="session-missing" data-testid="session-warning">
            {warning}
          </p>
        )}
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label={words.chats.dismiss}
        data-testid="session-read"
        onClick={() => app.talks.readSession(view.conversationId, missing)}
      >
        ✕
      </button>
    </div>
  )
}

/** Who said how much, most first, by the names of now or of then. */
function byWhom(view: ConversationView, by: Readonly<Record<string, number>>): string {
  const gone = missingIn(view)
  const parts = Object.entries(by)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_SPEAKERS)
    .map(([id, n]) => `${memberOf(view, id)?.displayName || gone.find((x) => x.id === id)?.name || id} ${count(n)}`)
  return parts.length === 0 ? '' : words.party.byWhom(parts)
}

/** How long a notice without a warning stays when nobody puts it away, in milliseconds. */
const STAYS_MS = 60_000

/** The session is not at hand: it can be gone on with. */
export function Resting({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const app = useApp()
  const said = saidIn(view)
  const ask = app.pending.value.find(
    (p) => p.frame.type === 'team:set' && p.frame.resumeSessionId === view.conversationId,
  )
  const go = () => {
    if (ask) app.discard(ask.requestId)
    app.talks.setTeam(view.team.id, view.conversationId)
  }
  return (
    <div class="resting" data-testid="party-resting">
      <p class="quiet">
        {realm.world.party.conversationId ? words.party.rests : words.party.restsAlone}
        {said !== null && said.messages > 0 && (
          <span data-testid="session-facts"> {words.party.holds(said.messages, byWhom(view, said.by))}</span>
        )}
      </p>
      {app.host.value && (
        <button
          type="button"
          class="small primary"
          data-testid="party-resume"
          disabled={ask !== undefined && ask.status !== 'refused'}
          onClick={go}
        >
          {ask && ask.status !== 'refused' ? words.party.resuming : words.party.goOn}
        </button>
      )}
      {ask?.status === 'refused' && (
        <p class="problem pre" role="alert">
          {words.party.restoreFailed(ask.error?.message ?? '')}
        </p>
      )}
    </div>
  )
}

/** As whom one speaks, and a chip for each other member: it writes into the message that this one speaks next. */
export function PartyVoices({
  view,
  realm,
  text,
  onText,
}: {
  view: ConversationView
  realm: RealmModel
  text: string
  onText: (next: string) => void
}) {
  const app = useApp()
  const self = voice(app.model.value, view)
  const others = view.team.members.filter((m) => m.id !== self)
  return (
    <div class="party-voices">
      <SpeakAs view={view} realm={realm} />
      <div class="ask-chips" role="group" aria-label={words.party.askWhom}>
        <span class="quiet" aria-hidden="true">
          {words.party.ask}
        </span>
        {others.map((m) => {
          const name = memberName(realm, view, m.id)
          const address = addressOf(m, view.team.members)
          return (
            <button
              key={m.id}
              type="button"
              class="chip-button"
              aria-pressed={asks(text, address)}
              aria-label={words.party.askOne(name)}
              title={words.party.askHint(name)}
              data-testid={`ask-${m.id}`}
              onClick={() => onText(toggleAsked(text, address))}
            >
              <Shield id={m.id} name={name} color={m.color} />
              <span class="chip-name">{plainName(name)}</span>
            </button>
          )
        })}
      </div>
    </div>
  )
}

/** Who was asked by a row and has not spoken yet. */
export function askedBy(realm: RealmModel, view: ConversationView, messageId: string): string {
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return ''
  const names = [...(p.executing ? [p.executing] : []), ...p.queue]
    .filter((i) => i.parent === messageId)
    .map((i) => memberName(realm, view, i.target))
  return names.length === 0 ? '' : words.party.asks(names)
}

/** "3 people and 2 agents": who is in a team, for its row. */
export function inTeam(team: { members: readonly { type: string; displayName: string; name: string }[] }): string {
  const people = team.members.filter((m) => m.type === 'human').length
  return join([plural(people, 'person', 'people'), plural(team.members.length - people, 'agent')])
}
