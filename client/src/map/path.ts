// Parts of paths. Pure.

export function parent(path: string): string {
  const i = path.lastIndexOf('/')
  return i < 0 ? '' : path.slice(0, i)
}

/** A path segment for people: %25 becomes %. A byte that is not UTF-8 stays %XX. */
export function readable(part: string): string {
  return part.replaceAll('%25', '%')
}
