package alchemist

import (
	"bytes"
	"context"
	"strings"

	"agentdungeon/server/inspect"
)

func rebuilt() inspect.Check {
	return inspect.Check{
		ID: "alchemist/rebuilt-table", Hero: hero, Local: true,
		Looks: "numpy arrays and pandas tables that a loop creates again for each row",
		Rule:  "Always medium.",
		Run:   runRebuilt,
	}
}

var (
	// pyRebuilt matches X = np.append(X, ...), X = pd.concat([X, ...]) and similar calls.
	pyRebuilt = inspect.Pattern(`^([A-Za-z_]\w*)\s*=\s*(?:(?:np|numpy)\.(append|concatenate|vstack|hstack|column_stack|row_stack|r_|c_)|(?:pd|pandas)\.(concat))\s*[(\[]\s*[(\[]?\s*([A-Za-z_]\w*)\s*[,\])]`)
	// pyFrame matches X = X.append(...). Here X is a table, because the append method of a list returns nothing.
	pyFrame = inspect.Pattern(`^([A-Za-z_]\w*)\s*=\s*([A-Za-z_]\w*)\.append\(`)
	pyTable = inspect.Pattern(`^(?:np|numpy|pd|pandas)\.\w+|^None$|^\[\s*\]$`)
)

func runRebuilt(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	words := told{
		one:  func(p place) string { return "Each turn of a loop makes " + short(p.name) + " anew" },
		many: "Loops make an array or table anew in each turn at %d places",
		easy: inspect.Medium, hard: inspect.Medium,
		why:    "Each call copies all rows that are there already: twice as many rows cost four times the work.",
		advice: "Collect the rows in a list and make the array or table once, after the loop.",
	}
	for f, data := range r.All(ctx, "Python") {
		if f.Test || !bytes.Contains(data, []byte("numpy")) && !bytes.Contains(data, []byte("pandas")) {
			continue
		}
		var out []place
		p := readPython(data)
		for i := range p.lines {
			mask := p.lines[i].mask
			name := ""
			if m := pyRebuilt.FindStringSubmatch(mask); m != nil && m[1] == m[4] {
				name = m[1]
			} else if m := pyFrame.FindStringSubmatch(mask); m != nil && m[1] == m[2] && strings.Contains(mask, "ignore_index") {
				name = m[1]
			}
			if name == "" || p.leaves(i) || len(out) == maxPlaces {
				continue
			}
			if loop := p.rebuilds(i, name); loop >= 0 {
				out = append(out, place{line: p.lines[i].number, name: name})
			}
		}
		words.tell(f, data, out, report)
	}
	return ctx.Err()
}

// rebuilds returns the loop in which statement i extends the variable, provided that the variable held an array, a
// table or nothing before the loop. Otherwise it returns -1.
func (p *pyCode) rebuilds(i int, name string) int {
	loops := p.loops(i)
	if len(loops) == 0 || pySmall.MatchString(p.lines[loops[0]].mask) {
		return -1
	}
	for at := loops[0] + 1; at < p.lines[loops[0]].end; at++ {
		if at == i || !strings.HasPrefix(p.lines[at].mask, name) {
			continue
		}
		m := pyAssign.FindStringSubmatch(p.lines[at].mask)
		if m != nil && m[1] == name && !strings.Contains(m[2], name) && p.lines[at].parent == p.lines[i].parent {
			return -1 // each turn assigns the variable a new value first
		}
	}
	scope := p.scope(i)
	for at := loops[0] - 1; at > scope; at-- {
		if !strings.HasPrefix(p.lines[at].mask, name) {
			continue
		}
		if m := pyAssign.FindStringSubmatch(p.lines[at].mask); m != nil && m[1] == name && p.scope(at) == scope {
			if pyTable.MatchString(strings.TrimSpace(m[2])) {
				return loops[0]
			}
			return -1
		}
	}
	return -1
}
