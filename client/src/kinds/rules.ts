// What the fold has to know about each kind, apart from the kinds themselves: the page folds events before it has
// loaded the game screen, which has the kinds. A test compares this with the registry.
import { setFoldRules, type FoldRules } from '../state/kinds'

export const RULES: Readonly<Record<string, FoldRules>> = {
  process: { staged: true },
  party: { rowsNameMembers: true },
}

for (const [name, rules] of Object.entries(RULES)) setFoldRules(name, rules)
