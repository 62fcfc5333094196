// What the reducers need to know about each kind of conversation. It is apart from the kinds, because the page
// applies events before it has loaded the game screen with the kinds. A test compares this table with the registry.
import { setFoldRules, type FoldRules } from '../state/kinds'

export const RULES: Readonly<Record<string, FoldRules>> = {
  process: { staged: true },
  party: { rowsNameMembers: true },
}

for (const [name, rules] of Object.entries(RULES)) setFoldRules(name, rules)
