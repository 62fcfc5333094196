// One level of the folder tree, opened along the path of the person's room.
import type { MapTree } from '../net/protocol.gen'
import { count } from '../words'
import type { Navigation } from './navigation'

/** The maximum number of folders that are shown on a level. Further folders are only on the map. */
const MAX = 40

export function TreeLevel({ nodes, navigation }: { nodes: readonly MapTree[]; navigation: Navigation }) {
  return (
    <ul>
      {nodes.slice(0, MAX).map((n) => {
        const here = navigation.path === n.path
        const onTheWay = n.path === '' || here || navigation.path.startsWith(n.path + '/')
        return (
          <li key={n.path}>
            <button
              type="button"
              class={here ? 'link here' : 'link'}
              aria-current={here ? 'page' : undefined}
              onClick={() => navigation.go(n.path)}
            >
              <span class="tree-name">{n.name}</span> <span class="quiet">{count(n.files)}</span>
            </button>
            {onTheWay && (n.children?.length ?? 0) > 0 && <TreeLevel nodes={n.children} navigation={navigation} />}
          </li>
        )
      })}
    </ul>
  )
}
