// Beside the map: on a desk the roster and the rooms, on a tablet the shields alone.
import type { Standing } from '../map/standing'
import { Tree } from '../map/tree'
import { Roster } from '../panels/roster'
import type { RealmModel } from '../state/model'
import type { Layout } from './layout'
import { RailIcons } from './rail-icons'

interface Props {
  realm: RealmModel
  layout: Layout
  standing: Standing
  onRoster: () => void
}

export function Rail({ realm, layout, standing, onRoster }: Props) {
  if (layout !== 'desk') return <RailIcons realm={realm} standing={standing} onRoster={onRoster} />
  return (
    <div class="rail scroll">
      <Roster realm={realm} />
      <Tree realm={realm} standing={standing} />
    </div>
  )
}
