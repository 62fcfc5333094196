// The kind party: people and agents of a team; a message names the next speaker. A session can be left, and is
// saved then; a person can resume it later.
import type { Conversation } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { memberName } from '../../state/conversations'
import { isOver } from '../../state/views'
import { words } from '../../words'
import { standard } from '../default'
import type { ComposerParts, ComposerInput, Control, ConversationProps, Kind } from '../kind'
import { PartyHead } from './head'
import { partyRow } from './row'
import { PartyRowsEnd } from './rows-end'
import { isCurrent, missingMembers, others, partyWaitsFor, partyWaitsForMe, speakingAs } from './state'
import { withSpokenTo } from './markers'
import { ComposerChips } from './composer-chips'
import { partyWords } from './words'
import { PartyStart } from './start'
import { Saved } from './saved'
import { PartyStanding } from './standing'

const NAME = 'party'

/** The team's name; "" if it is the conversation's title. The title of a restored session is a date. */
const teamOf = (c: Conversation) => (c.team.name !== c.title ? c.team.name : '')

const statusWord = (c: Conversation) =>
  c.status === 'abandoned' ? partyWords.ended : words.conversation.status[c.status]

/**
 * Whether the party can go on without a message: the queue is not empty, or a turn was cut off. Otherwise a person has
 * to speak first.
 */
function canGoOn({ view, realm }: ConversationProps): boolean {
  const { queue, executing, newest } = realm.world.party
  if (view.status !== 'paused' || newest === '') return false
  return queue.length > 0 || executing !== null || (view.lastRun !== undefined && view.lastRun.status !== 'done')
}

function controls(at: ConversationProps): Control[] {
  if (!isCurrent(at)) return []
  const { view, realm } = at
  const { conversationId, lastRun } = view
  const { queue, executing } = realm.world.party
  const again = queue.length === 0 && executing === null && lastRun ? memberName(realm, view, lastRun.memberId) : ''
  const out: Control[] = []
  if (view.status === 'active')
    out.push({
      testid: 'talk-pause',
      label: words.conversation.pause,
      look: 'plain',
      frame: { type: 'conversation.pause', conversationId },
    })
  if (canGoOn(at))
    out.push({
      testid: 'talk-resume',
      label: again ? partyWords.again : words.conversation.resume,
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

function usePartyComposer({ view, realm, text, type, form }: ComposerInput): ComposerParts {
  const app = useApp()
  const model = app.model
  return {
    asked: partyWaitsForMe(model, view),
    placeholder: partyWords.say(memberName(realm, view, speakingAs(model, view))),
    sent: (said) => withSpokenTo(said, others(model, { view, realm }), view.team.members),
    above: <ComposerChips view={view} realm={realm} text={text} form={form} onText={type} />,
    // Sending a message counts as having read the session's notice.
    onSent: () => app.conversations.readSession(view.conversationId, missingMembers(view)),
  }
}

export const party: Kind = {
  name: NAME,
  rowsNameMembers: true,
  label: () => ({ id: NAME, word: partyWords.name }),
  statusWord,
  listNote: teamOf,
  isMyTurn: partyWaitsForMe,
  waitsFor: partyWaitsFor,
  startOptions: [
    {
      id: NAME,
      word: partyWords.startWord,
      needsAgent: false,
      Form: PartyStart,
    },
  ],
  // The current session has no status in the head: standing.tsx names the member for whom the party waits, which says
  // more than "paused". For hosts the head has no members either, because the chips above the composer name them.
  headStatus: (at) => (isCurrent(at) ? '' : statusWord(at.view)),
  fullTitle: ({ view: v }) => (teamOf(v) ? `${v.title}, ${teamOf(v)}` : v.title),
  showsMembers: (at, host) => !isCurrent(at) || !host,
  facts: (at) => (teamOf(at.view) && !isCurrent(at) ? [teamOf(at.view)] : []),
  statusLine: (at) => (isCurrent(at) ? '' : standard.statusLine(at)),
  controls,
  empty: () => partyWords.emptyTranscript,
  endLine: () => '',
  canWrite: (at) => !isOver(at.view.status) && isCurrent(at),
  row: partyRow,
  useComposer: usePartyComposer,
  HeadNote: Saved,
  HeadLead: PartyStanding,
  HeadMore: PartyHead,
  RowsEnd: PartyRowsEnd,
}
