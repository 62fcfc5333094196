// The properties of a kind of conversation that the reducers need. kinds/rules.ts and kinds/kinds.ts fill the
// table; kinds that are not in it have the defaults.
export interface FoldRules {
  /** Whether turns belong to stages. If so, the page keeps no last run to retry. Default: false. */
  readonly staged?: boolean
  /**
   * Whether a row has the name of a team member. That name stays when the person who wrote the row is erased. Default:
   * false.
   */
  readonly rowsNameMembers?: boolean
}

const table = new Map<string, FoldRules>()

export function setFoldRules(name: string, rules: FoldRules | null): void {
  if (rules === null) table.delete(name)
  else table.set(name, rules)
}

export function foldRules(name: string): FoldRules {
  return table.get(name) ?? {}
}
