// A level of the rail's tree, and below it the folders on the way to where the reader is.
import type { MapTree } from '../net/protocol.gen'
import { count } from '../words'
import type { Standing } from './standing'

/** Folders shown on a level before the map itself has to be used. */
const MOST = 40

export function TreeLevel({ nodes, standing }: { nodes: readonly MapTree[]; standing: Standing }) {
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
            {onTheWay && (n.children?.length ?? 0) > 0 && <TreeLevel nodes={n.children} standing={standing} />}
          </li>
        )
      })}
    </ul>
  )
}
