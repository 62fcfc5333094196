// The properties of each kind of conversation that the reducers need. They are apart from the kinds, because the
// page applies events before it has loaded the game screen with the kinds. A test compares this table with the
// registry.
import { setFoldRules, type FoldRules } from '../state/kinds'

export const RULES: Readonly<Record<string, FoldRules>> = {
  process: { staged: true },
  party: { rowsNameMembers: true },
}

for (const [name, rules] of Object.entries(RULES)) setFoldRules(name, rules)
