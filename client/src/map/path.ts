// Parts of paths. Pure.

export function parent(path: string): string {
  const i = path.lastIndexOf('/')
  return i < 0 ? '' : path.slice(0, i)
}

/** A path segment as people read it; bytes that are not UTF-8 stay %XX. */
export function readable(part: string): string {
  return part.replaceAll('%25', '%')
}
