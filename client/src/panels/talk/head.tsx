// The head of a conversation: what it is, who takes part, how it stands, and what
// may be done with it.
import { useState } from 'preact/hooks'
import type { CommandFrame } from '../../net/outbox'
import type { ConversationView } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { isAtHand } from '../../state/party'
import { colorOf } from '../../state/select'
import { memberName, sortOf } from '../../state/talks'
import { isOver } from '../../state/views'
import { words } from '../../words'
import { useApp } from '../context'
import { Confirm } from '../dialog'
import { BinMark, PenMark, Shield, StateMark } from '../marks'
import { Folding } from '../plain'
import { CopyIcon } from './copy-icon'
import { ForgeHead } from './forge'
import { PartyHead, PartyStanding } from './party'
import { Rename } from './rename'
import { transcriptText, type Reading } from './rows'
import { statusWord } from './status'

const MOST_SHIELDS = 8

export function TalkHead({
  view,
  realm,
  read,
  onBack,
}: {
  view: ConversationView
  realm: RealmModel
  read: Reading
  onBack: (() => void) | null
}) {
  const app = useApp()
  const [renaming, setRenaming] = useState(false)
  const sort = sortOf(view)
  const members = view.team.members
  const who = words.chats.members(members.map((m) => memberName(realm, view, m.id)))
  // Where there is nothing to say of them the buttons stand beside the title.
  const row = sort === 'process' || sort === 'chat' || sort === 'forge'
  const saved = view.kind === 'party' && realm.sessions[view.conversationId]?.saved === true
  // Who is waited for says more than "paused" does, and the chips below say who is in it.
  const party = view.kind === 'party' && isAtHand(realm, view.conversationId)
  const buttons = (
    <span class="talk-buttons">
      {app.host.value && !renaming && <Buttons view={view} realm={realm} onRename={() => setRenaming(true)} />}
      {view.kind === 'process' && <StagePick view={view} realm={realm} />}
      {read.rows.length > 0 && (
        <CopyIcon text={() => transcriptText(read.rows)} label={words.chats.copyAll} testid="copy-transcript" />
      )}
    </span>
  )
  return (
    <header class="talk-head" data-testid="talk-head" data-kind={sort} data-status={view.status}>
      <div class="talk-title">
        {onBack && (
          <button
            type="button"
            class="small ghost"
            data-testid="talk-back"
            aria-label={words.chats.back}
            onClick={onBack}
          >
            ‹ {words.chats.all}
          </button>
        )}
        {renaming ? (
          <Rename view={view} onDone={() => setRenaming(false)} />
        ) : (
          <>
            <h3
              title={
                sort === 'party' && view.team.name !== view.title ? `${view.title}, ${view.team.name}` : view.title
              }
            >
              {view.title || words.chats.sorts[sort]}
            </h3>
            {(!row || isOver(view.status)) && (
              <span class={`talk-status status-${view.status}`}>
                {party ? '' : statusWord(view)}
                {saved && (
                  <span class="talk-saved" data-testid="session-saved">
                    {party ? '' : ' · '}
                    {words.party.saved}
                  </span>
                )}
              </span>
            )}
          </>
        )}
        {row && buttons}
      </div>
      {!row && (
        <div class="talk-facts">
          {party && <PartyStanding view={view} realm={realm} />}
          {(!party || !app.host.value) && (
            <span class="shields" role="img" aria-label={who} title={who}>
              {members.slice(0, MOST_SHIELDS).map((m) => (
                <Shield key={m.id} id={m.id} name={m.displayName || m.name} color={m.color || colorOf(realm, m.id)} />
              ))}
            </span>
          )}
          <span class="quiet talk-says">{facts(realm, view).join(' · ')}</span>
          {buttons}
        </div>
      )}
      {view.taskPrompt && sort !== 'process' && view.taskPrompt !== view.title && (
        <div class="talk-task">
          <strong>{words.chats.task}:</strong> <Folding text={view.taskPrompt} limit={160} />
        </div>
      )}
      {view.about && <p class="quiet meta">{words.chats.about(view.about.name)}</p>}
      {view.kind === 'party' && <PartyHead view={view} realm={realm} />}
      {view.kind === 'forge' && <ForgeHead view={view} />}
      <Standing view={view} realm={realm} />
    </header>
  )
}

/** How far, and who comes next. */
function facts(realm: RealmModel, view: ConversationView): string[] {
  const sort = sortOf(view)
  const out: string[] = []
  if (sort === 'party' && view.team.name !== view.title && !isAtHand(realm, view.conversationId))
    out.push(view.team.name)
  if (sort === 'task') out.push(words.chats.members(view.team.members.map((m) => memberName(realm, view, m.id))))
  if (sort === 'council') {
    const of = view.plan.maxTurns ?? view.maxTurns ?? 0
    if (of > 0) out.push(words.chats.turns(Math.min(view.plan.turns ?? 0, of), of))
    if (view.plan.nextMemberId && view.activeRuns.length === 0 && !isOver(view.status))
      out.push(words.chats.next(memberName(realm, view, view.plan.nextMemberId)))
  }
  return out
}

/** What it waits for, or how it ended. */
function Standing({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const text = standingText(view, realm)
  if (text === '') return null
  return (
    <p class="talk-standing" role="status" data-testid="talk-standing">
      <StateMark state={view.status === 'interrupted' ? 'interrupted' : 'waiting'} />
      {text}
    </p>
  )
}

function standingText(view: ConversationView, realm: RealmModel): string {
  // A party says it with who is waited for, a forge with its question.
  if (view.kind === 'process' || (view.kind === 'party' && isAtHand(realm, view.conversationId))) return ''
  const w = words.chats
  const why = view.reason
  switch (view.status) {
    case 'queued':
      return w.queued(realm.world.settings.maxConcurrentConversations)
    case 'paused':
      return view.plan.waiting?.message || why || w.paused
    case 'interrupted':
      return why ?? w.interrupted
    case 'failed':
      return why ?? ''
    case 'completed':
    case 'abandoned':
      return ''
    default:
      return view.plan.waiting?.message ?? ''
  }
}

function Buttons({ view, realm, onRename }: { view: ConversationView; realm: RealmModel; onRename: () => void }) {
  const app = useApp()
  const [ending, setEnding] = useState(false)
  const w = words.chats
  const conversationId = view.conversationId
  const over = isOver(view.status)
  const council = view.kind === 'council'
  const asked = (type: CommandFrame['type']) =>
    app.pending.value.some(
      (p) =>
        p.status !== 'refused' &&
        p.frame.type === type &&
        'conversationId' in p.frame &&
        p.frame.conversationId === conversationId,
    )
  const p = realm.world.processState
  const process = conversationId === p.conversationId
  const party = view.kind === 'party' && isAtHand(realm, conversationId)
  const { queue, executing, newest } = realm.world.party
  // A party goes on where somebody is in the queue or a turn was cut off; else words do.
  const resumable =
    (council && (view.status === 'paused' || view.status === 'interrupted')) ||
    (party &&
      view.status === 'paused' &&
      newest !== '' &&
      (queue.length > 0 || executing !== null || (view.lastRun !== undefined && view.lastRun.status !== 'done')))
  const again =
    party && queue.length === 0 && executing === null && view.lastRun
      ? memberName(realm, view, view.lastRun.memberId)
      : ''
  return (
    <>
      {((council && (view.status === 'active' || view.status === 'queued')) || (party && view.status === 'active')) && (
        <button
          type="button"
          class="small"
          data-testid="talk-pause"
          disabled={asked('conversation.pause')}
          onClick={() => app.send({ type: 'conversation.pause', conversationId })}
        >
          {w.pause}
        </button>
      )}
      {resumable && (
        <button
          type="button"
          class="small primary"
          data-testid="talk-resume"
          title={party ? (again ? words.party.againHint(again) : words.party.goOnHint) : undefined}
          disabled={asked('conversation.resume')}
          onClick={() => app.send({ type: 'conversation.resume', conversationId })}
        >
          {again ? words.party.again : w.resume}
        </button>
      )}
      {process && p.status === 'running' && !p.pausing && (
        <button
          type="button"
          class="small"
          data-testid="talk-pause"
          onClick={() => app.send({ type: 'player:command', text: '/pause' })}
        >
          {w.pause}
        </button>
      )}
      {view.kind === 'chat' && !over && (
        <button
          type="button"
          class="small ghost"
          data-testid="talk-close"
          title={w.close}
          disabled={asked('conversation.close')}
          onClick={() => app.send({ type: 'conversation.close', conversationId })}
        >
          {w.closeIt}
        </button>
      )}
      {(council || party || view.kind === 'forge') && !over && (
        <button
          type="button"
          class="small ghost"
          data-testid="talk-abort"
          title={party ? words.party.stopHint : undefined}
          disabled={asked('conversation.abort')}
          onClick={() => setEnding(true)}
        >
          {party ? words.party.stop : w.abort}
        </button>
      )}
      {view.kind !== 'process' && (
        <button
          type="button"
          class="icon-button"
          data-testid="talk-rename"
          aria-label={w.rename}
          title={w.rename}
          onClick={onRename}
        >
          <PenMark />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        data-testid="talk-erase"
        aria-label={words.keep.erase}
        title={words.keep.erase}
        onClick={() =>
          (app.talks.erasing.value = {
            what: 'conversation',
            id: conversationId,
            title: view.title || w.sorts[sortOf(view)],
            forge: view.kind === 'forge',
          })
        }
      >
        <BinMark />
      </button>
      {ending && (
        <Confirm
          title={party ? words.party.stopAsk(view.title) : w.abortAsk(view.title)}
          text={party ? words.party.stopText : view.kind === 'forge' ? w.abortForge : w.abortText}
          yes={party ? words.party.stopYes : w.abortYes}
          no={w.keep}
          onYes={() => {
            setEnding(false)
            app.send({ type: 'conversation.abort', conversationId })
          }}
          onNo={() => setEnding(false)}
        />
      )}
    </>
  )
}

/** A process's transcript by its stages. */
function StagePick({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const app = useApp()
  const stages =
    view.conversationId === realm.world.processState.conversationId
      ? (realm.world.processState.template?.stages ?? [])
      : []
  if (stages.length < 2) return null
  return (
    <select
      class="stage-pick"
      aria-label={words.chats.stage}
      data-testid="stage-pick"
      value={app.talks.look.value?.stageId ?? ''}
      onChange={(e) => app.talks.readStage(view.conversationId, e.currentTarget.value)}
    >
      <option value="">{words.chats.allStages}</option>
      {stages.map((s) => (
        <option key={s.id} value={s.id}>
          {s.name}
        </option>
      ))}
    </select>
  )
}
