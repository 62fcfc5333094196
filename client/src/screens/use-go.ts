// Shows or does what the person has chosen in the command palette.
import type { App } from '../app'
import { startOptions } from '../kinds/kinds'
import { parent } from '../map/path'
import type { Target } from '../palette/entries'
import { useApp } from '../panels/context'
import { takeExport } from '../panels/export'
import type { Tab } from './side'

/** The functions by which the game screen shows an entry. */
export interface Ways {
  onTab: (tab: Tab) => void
  onRoom: (path: string, file?: string) => void
}

export function useGo(ways: Ways): (target: Target) => void {
  const app = useApp()
  return (t) => {
    switch (t.to) {
      case 'action':
        return act(app, t.id, ways)
      case 'slash':
        app.conversations.enterProcess()
        if (t.whole) {
          if (app.model.realm) takeExport(app.model.realm.id, t.text)
          app.command(t.text)
        } else app.returned.value = `${t.text} `
        return
      case 'begin':
        app.conversations.starting.value = { kind: t.kind, memberIds: [] }
        return
      case 'template':
        app.drafts.set('template', t.id)
        app.dialog.value = 'start'
        return
      case 'talk':
        return app.conversations.enter(t.id)
      case 'agent':
        return t.talk ? app.conversations.enter(t.talk) : speakTo(app, t.id)
      case 'folder':
        return ways.onRoom(t.path)
      case 'file':
        return app.reads.peek() ? app.places.open(t.path) : ways.onRoom(parent(t.path), t.path)
      case 'finding':
        app.showFinding(t.id)
        return ways.onTab('findings')
      case 'ask':
        app.command(`/ask ${t.agentId} ${t.text}`)
        return ways.onTab('talk')
      case 'realm':
        app.chooseRealm() // the setup shows the progress, or why the realm cannot be opened
        app.send({ type: 'player:resume-realm', realmId: t.id })
    }
  }
}

function act(app: App, id: Extract<Target, { to: 'action' }>['id'], { onTab }: Ways): void {
  switch (id) {
    case 'start':
    case 'share':
    case 'preferences':
    case 'settings':
      app.dialog.value = id
      return
    case 'new':
      app.conversations.starting.value = { kind: '', memberIds: [] }
      return
    case 'realms':
      return app.chooseRealm()
    case 'keys':
    case 'legend':
      app.lookup.value = id
      return
    default:
      onTab(id)
  }
}

/** Opens the first kind of conversation that an agent offers, or continues the existing one. */
function speakTo(app: App, agentId: string): void {
  startOptions()
    .flatMap((option) => option.withAgent ?? [])
    .sort((a, b) => a.rank - b.rank)[0]
    ?.act(app, agentId)
}
