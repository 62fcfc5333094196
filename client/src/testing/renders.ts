// Records which components render. Preact calls the hook below for each render of a component. The hook's name is that
// of Preact's minified builds, which does not change within a version.
import { Fragment, options, type VNode } from 'preact'

const hook = options as { __r?: (vnode: VNode) => void }

/** Runs what(). Returns the names of the components that render during the call, one entry for each render. */
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
