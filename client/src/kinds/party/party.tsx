// A party: people and agents of a team talk, and a message says who speaks next. Its session rests and comes back.
import type { Conversation } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { memberName } from '../../state/talks'
import { isOver } from '../../state/views'
import { words } from '../../words'
import { standard } from '../default'
import type { ComposerParts, ComposerUse, Control, InView, Kind } from '../kind'
import { PartyHead } from './head'
import { partyRow } from './row'
import { PartyEnd } from './session'
import { isAtHand, missingIn, partyWaitsForMe, voice } from './state'
import { PartyVoices } from './voices'
import { partyWords } from './words'
import { PartyStart } from './start'
import { Saved } from './saved'
import { PartyStandingAtHand } from './standing-at-hand'

const NAME = 'party'

export const atHand = ({ view, realm }: InView) => isAtHand(realm, view.conversationId)

/** The team, where the session is called by something else: one that came back is called by its day. */
const teamOf = (c: Conversation) => (c.team.name !== c.title ? c.team.name : '')

const statusWord = (c: Conversation) => (c.status === 'abandoned' ? partyWords.ended : words.chats.status[c.status])

/** It goes on where somebody is in the queue or a turn was cut off; else words do. */
function canGoOn({ view, realm }: InView): boolean {
  const { queue, executing, newest } = realm.world.party
  if (view.status !== 'paused' || newest === '') return false
  return queue.length > 0 || executing !== null || (view.lastRun !== undefined && view.lastRun.status !== 'done')
}

function controls(at: InView): Control[] {
  if (!atHand(at)) return []
  const { view, realm } = at
  const { conversationId, lastRun } = view
  const { queue, executing } = realm.world.party
  const again = queue.length === 0 && executing === null && lastRun ? memberName(realm, view, lastRun.memberId) : ''
  const out: Control[] = []
  if (view.status === 'active')
    out.push({
      testid: 'talk-pause',
      label: words.chats.pause,
      look: 'plain',
      frame: { type: 'conversation.pause', conversationId },
    })
  if (canGoOn(at))
    out.push({
      testid: 'talk-resume',
      label: again ? partyWords.again : words.chats.resume,
      hint: again ? partyWords.againHint(again) : partyWords.goOnHint,
      look: 'primary',
      frame: { type: 'conversation.resume', conversationId },
    })
  if (!isOver(view.status))
    out.push({
      testid: 'talk-abort',
      label: partyWords.stop,
      hint: partyWords.stopHint,
      look: 'ghost',
      frame: { type: 'conversation.abort', conversationId },
      confirm: { title: partyWords.stopAsk(view.title), text: partyWords.stopText, yes: partyWords.stopYes },
    })
  return out
}

function usePartyComposer({ view, realm, text, type }: ComposerUse): ComposerParts {
  const app = useApp()
  const model = app.model
  return {
    asked: partyWaitsForMe(model, view),
    placeholder: partyWords.say(memberName(realm, view, voice(model, view))),
    above: <PartyVoices view={view} realm={realm} text={text} onText={type} />,
    // Who goes on has seen what came back.
    onSent: () => app.talks.readSession(view.conversationId, missingIn(view)),
  }
}

export const party: Kind = {
  name: NAME,
  places: true,
  called: () => ({ id: NAME, word: partyWords.name }),
  statusWord,
  listNote: teamOf,
  asks: partyWaitsForMe,
  begins: [
    {
      id: NAME,
      word: partyWords.beginWord,
      title: partyWords.beginTitle,
      needsAgent: false,
      Form: PartyStart,
    },
  ],
  // Who is waited for says more than "paused" does, and the chips over the place to write say who is in it.
  headStatus: (at) => (atHand(at) ? '' : statusWord(at.view)),
  fullTitle: (v) => (teamOf(v) ? `${v.title}, ${teamOf(v)}` : v.title),
  showsMembers: (at, host) => !atHand(at) || !host,
  facts: (at) => (teamOf(at.view) && !atHand(at) ? [teamOf(at.view)] : []),
  standing: (at) => (atHand(at) ? '' : standard.standing(at)),
  controls,
  empty: () => partyWords.begins,
  overLine: () => '',
  speaks: (at) => !isOver(at.view.status) && atHand(at),
  row: partyRow,
  useComposer: usePartyComposer,
  HeadNote: Saved,
  HeadLead: PartyStandingAtHand,
  HeadMore: PartyHead,
  After: PartyEnd,
}
