// Sends the text of the page's text box: as an answer, a command, a question to the guide, or a message to everybody in
// the realm.
import type { RealmModel } from '../state/model'
import type { SendResult } from '../net/outbox'
import { listenerOf } from '../state/guide'
import { isCommand, mistyped } from '../slash'
import { hasProcess, nameOf } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { takeExport } from './export'
import type { MyAsks } from './use-my-asks'
import { useSelect } from './use-select'

interface Say {
  /** Sends the text. If it cannot be sent, why is a sentence for the person. */
  say: (said: string) => { ok: true; requestId: string } | { ok: false; why: string }
  /** The placeholder of the text box. */
  hint: string
  /** Who hears what is not an answer: the name of an agent; '' for everybody in the realm. */
  hearer: string
}

/**
 * early: whether the text was begun before the person's turn and is not its answer. The server takes other words of a
 * person who has the turn as the answer.
 */
export function useSay(realm: RealmModel, { ask, mine }: MyAsks, early: boolean): Say {
  const app = useApp()
  const host = app.host.value
  const listener = useSelect(() => (host ? listenerOf(app.model) : null), [app, host])
  const focused = host ? focusOf(realm, app.model.me?.spectatorId) : ''
  const send = (said: string): SendResult => {
    if (isCommand(said)) return app.command(said)
    if (ask !== null) {
      const { conversationId } = realm.world.processState
      return app.conversations.say(conversationId, said, mine.length > 1 ? ask.memberId : undefined)
    }
    if (early) return app.send({ type: 'spectator:command', text: said })
    return app.command(listener ? `/ask ${listener.id} ${said}` : said)
  }
  const say: Say['say'] = (said) => {
    if (said === '') return { ok: false, why: words.prompt.empty }
    const wrong = mistyped(said)
    if (wrong) return { ok: false, why: wrong }
    takeExport(realm.id, said)
    if (!host && isCommand(said) && !said.startsWith('/export')) return { ok: false, why: words.prompt.hostsCommand }
    const result = send(said)
    return result.ok
      ? result
      : { ok: false, why: result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany }
  }
  const idle = words.prompt.idle(
    host,
    useSelect(() => hasProcess(realm.world), [realm]),
  )
  const asked = listener ? words.prompt.ask(listener.name) : focused ? words.prompt.focus(focused) : idle
  return {
    say,
    hint: ask ? words.prompt.turn(nameOf(realm, ask.roleId)) : asked,
    hearer: listener?.name ?? focused,
  }
}

/** The name of the member to whom the person's texts go because of /focus; '' for none. */
function focusOf(realm: RealmModel, me: string | undefined): string {
  const focus = realm.world.focus.find((f) => f.spectatorId === me)?.agentId
  // If a person plays the member that /focus chose, or if its role is open, the server sends the text to everybody in
  // the realm.
  const held = realm.world.processState.cast.find((c) => c.memberId === focus)
  return focus !== undefined && (held === undefined || held.kind === 'agent') ? nameOf(realm, focus) : ''
}
