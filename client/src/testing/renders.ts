// Counts which components are drawn. Preact calls the hook below for each component that it draws, also where the
// component is drawn again by itself; its name is that of Preact's own builds, which do not change it within a version.
import { Fragment, options, type VNode } from 'preact'

const hook = options as { __r?: (vnode: VNode) => void }

/** The names of the components that are drawn while what runs, each as often as it is drawn. */
export async function renders(what: () => void | Promise<void>): Promise<string[]> {
  const out: string[] = []
  const before = hook.__r
  hook.__r = (vnode) => {
    before?.(vnode)
    if (typeof vnode.type === 'function' && vnode.type !== Fragment) out.push(vnode.type.displayName ?? vnode.type.name)
  }
  try {
    await what()
  } finally {
    if (before) hook.__r = before
    else delete hook.__r
  }
  return out.sort()
}
