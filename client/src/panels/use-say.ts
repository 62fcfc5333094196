// Sends the text of the page's text box: as an answer, a command, a question to the guide, or a message to everybody in
// the realm.
import type { RealmModel } from '../state/model'
import { listenerOf } from '../state/guide'
import { isCommand, mistyped } from '../slash'
import { nameOf } from '../state/select'
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

export function useSay(realm: RealmModel, { ask, mine }: MyAsks): Say {
  const app = useApp()
  const host = app.host.value
  const listener = useSelect(() => (host ? listenerOf(app.model) : null), [app, host])
  const answer = (said: string) => {
    const { conversationId } = realm.world.processState
    return app.conversations.say(conversationId, said, mine.length > 1 ? ask?.memberId : undefined)
  }
  const say: Say['say'] = (said) => {
    if (said === '') return { ok: false, why: words.prompt.empty }
    const wrong = mistyped(said)
    if (wrong) return { ok: false, why: wrong }
    takeExport(realm.id, said)
    if (!host && isCommand(said) && !said.startsWith('/export')) return { ok: false, why: words.prompt.hostsCommand }
    const result =
      ask !== null && !isCommand(said)
        ? answer(said)
        : app.command(listener && !isCommand(said) ? `/ask ${listener.id} ${said}` : said)
    return result.ok
      ? result
      : { ok: false, why: result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany }
  }
  const focused = host ? focusOf(realm, app.model.me?.spectatorId) : ''
  const idle = host ? words.prompt.idle : words.prompt.speak
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
