// The rail's short way to a room: the root and two levels below it.
import type { MapTree } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import { count, words } from '../words'
import type { Standing } from './room-view'

/** Folders shown on a level before the map itself has to be used. */
const MOST = 40

export function Tree({ standing }: { standing: Standing }) {
  const { realm } = useApp().model.value
  if (!realm || realm.world.mapTree.files + realm.world.mapTree.folders === 0) return null
  return (
    <nav class="tree" aria-label={words.map.tree}>
      <h3>{words.map.tree}</h3>
      <Level nodes={[{ ...realm.world.mapTree, name: realm.world.realm.name }]} standing={standing} />
    </nav>
  )
}

function Level({ nodes, standing }: { nodes: readonly MapTree[]; standing: Standing }) {
  return (
    <ul>
      {nodes.slice(0, MOST).map((n) => {
        const here = standing.path === n.path
        const onTheWay = n.path === '' || here || standing.path.startsWith(n.path + '/')
        return (
          <li key={n.path}>
            <button
              type="button"
              class={here ? 'link here' : 'link'}
              aria-current={here ? 'page' : undefined}
              onClick={() => standing.go(n.path)}
            >
              <span class="tree-name">{n.name}</span> <span class="quiet">{count(n.files)}</span>
            </button>
            {onTheWay && (n.children?.length ?? 0) > 0 && <Level nodes={n.children} standing={standing} />}
          </li>
        )
      })}
    </ul>
  )
}
