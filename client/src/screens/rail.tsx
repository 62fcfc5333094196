// The rail, a column beside the map: the roster and the folder tree on a desktop, shields on a tablet.
import type { Navigation } from '../map/navigation'
import { Tree } from '../map/tree'
import { Roster } from '../panels/roster'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import type { Layout } from './viewport'
import { RailIcons } from './rail-icons'

interface Props {
  realm: RealmModel
  layout: Layout
  navigation: Navigation
  onRoster: () => void
}

export function Rail({ realm, layout, navigation, onRoster }: Props) {
  if (layout !== 'desk') return <RailIcons realm={realm} navigation={navigation} onRoster={onRoster} />
  return (
    <aside class="rail scroll" aria-label={words.roster.rail}>
      <h2 class="visually-hidden">{words.roster.rail}</h2>
      <Roster realm={realm} />
      <Tree realm={realm} navigation={navigation} />
    </aside>
  )
}
