// The kind council: agents and people take turns. A council of one agent is called a task.
import type { Conversation } from '../../net/protocol.gen'
import { memberName } from '../../state/conversations'
import { isOver } from '../../state/views'
import { join, words } from '../../words'
import { standard } from '../default'
import type { StartOption, Control, ConversationProps, Kind } from '../kind'
import { turnOf, useCouncilComposer } from './composer'
import { AskPlan } from './plan'
import { CouncilStart } from './council-start'
import { TaskStart } from './task-start'
import { plural } from '../../words-format'
import { councilWords } from './words'

type Way = 'council' | 'task'

const way = (c: Conversation): Way => (c.team.members.length === 1 ? 'task' : 'council')

/**
 * Returns two facts for the head of the conversation: the number of turns taken, and the next member. A council may end
 * before all turns are taken, so the number that it could take is left out at the end.
 */
function facts({ view, realm }: ConversationProps): string[] {
  if (way(view) === 'task') return [join(view.team.members.map((m) => memberName(realm, view, m.id)))]
  const out: string[] = []
  const of = view.plan.maxTurns ?? view.maxTurns ?? 0
  const taken = Math.min(view.plan.turns ?? 0, of)
  if (of > 0) out.push(isOver(view.status) ? plural(taken, 'turn') : words.roster.turns(taken, of))
  if (view.plan.nextMemberId && view.activeRuns.length === 0 && !isOver(view.status))
    out.push(councilWords.next(memberName(realm, view, view.plan.nextMemberId)))
  return out
}

function statusLine(at: ConversationProps): string {
  if (at.view.status === 'queued') return councilWords.queued(at.realm.world.settings.maxConcurrentConversations)
  return standard.statusLine(at)
}

function controls({ view }: ConversationProps): Control[] {
  const w = words.conversation
  const { conversationId, status } = view
  const out: Control[] = []
  if (status === 'active')
    out.push({
      testid: 'talk-pause',
      label: w.pause,
      look: 'plain',
      frame: { type: 'conversation.pause', conversationId },
    })
  if (status === 'paused' || status === 'interrupted')
    out.push({
      testid: 'talk-resume',
      label: w.resume,
      look: 'primary',
      frame: { type: 'conversation.resume', conversationId },
    })
  if (!isOver(status))
    out.push({
      testid: 'talk-abort',
      label: w.abort,
      look: 'ghost',
      frame: { type: 'conversation.abort', conversationId },
      confirm: { title: w.abortAsk(view.title), text: w.abortText, yes: w.abortYes },
    })
  return out
}

function beginning(id: Way, Form: StartOption['Form'], rank: number): StartOption {
  const w = councilWords[id]
  return {
    id,
    word: w.startWord,
    needsAgent: true,
    Form,
    withAgent: {
      testid: `hero-${id}`,
      label: w.withAgent,
      rank,
      act: (app, agentId) => (app.conversations.starting.value = { kind: id, memberIds: [agentId] }),
    },
  }
}

export const council: Kind = {
  name: 'council',
  label: (c) => ({ id: way(c), word: councilWords[way(c)].name }),
  isMyTurn: (m, v) => turnOf(v, m) !== null,
  startOptions: [beginning('task', TaskStart, 1), beginning('council', CouncilStart, 2)],
  facts,
  statusLine,
  controls,
  empty: (c) => councilWords[way(c)].emptyTranscript,
  canWrite: ({ view }) => !isOver(view.status),
  useComposer: useCouncilComposer,
  HeadMore: AskPlan,
}
