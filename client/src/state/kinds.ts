// What folding has to know of a kind of conversation. kinds/registry.ts fills the table; a kind that is not in it
// folds by the defaults.
export interface FoldRules {
  /** Its turns belong to stages: the page remembers no last run that could be taken again. Default: false. */
  readonly staged?: boolean
  /** A row carries the name of a place in the team, which outlives the person who spoke. Default: false. */
  readonly places?: boolean
}

const table = new Map<string, FoldRules>()

export function setFoldRules(name: string, rules: FoldRules | null): void {
  if (rules === null) table.delete(name)
  else table.set(name, rules)
}

export function foldRules(name: string): FoldRules {
  return table.get(name) ?? {}
}
