// The folder tree in the rail (the column beside the map): the root and two levels below it.
import type { RealmModel } from '../state/model'
import { words } from '../words'
import type { Navigation } from './navigation'
import { TreeLevel } from './tree-level'

export function Tree({ realm, navigation }: { realm: RealmModel; navigation: Navigation }) {
  if (realm.world.mapTree.files + realm.world.mapTree.folders === 0) return null
  return (
    <nav class="tree" aria-label={words.map.tree}>
      <h3>{words.map.tree}</h3>
      <TreeLevel nodes={[{ ...realm.world.mapTree, name: realm.world.realm.name }]} navigation={navigation} />
    </nav>
  )
}
