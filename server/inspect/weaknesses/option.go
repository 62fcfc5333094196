package weaknesses

import (
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// option matches a value that a person sets: "self.x", "opts.x", "process.env.X".
var option = inspect.Pattern(`^\(?(?:self|this|args?|argv|opts?|options|conf|config|cfg|settings|flags?|params|` +
	`program|process\.env|os\.environ)\b[\w.?]*(?:\[[^\]]*\]|\.get\([^)]*\))?\)?$`)

// chosen looks at the conditions under which a node runs. wanted is true if one of them names the check of
// certificates, so that a person chose to disable it. asked is true if one of them is another option that has to be
// set.
func chosen(n syntax.Node) (wanted, asked bool) {
	look := func(cond syntax.Node, holds bool) {
		wanted = wanted || willed.MatchString(cond.Text())
		asked = asked || holds && option.MatchString(cond.Text())
	}
	for p := n.Parent(); p.OK(); n, p = p, p.Parent() {
		switch p.Kind() {
		case "if_statement", "elif_clause", "ternary_expression":
			if n.Field() != "condition" {
				look(p.Child("condition"), n.Field() == "consequence")
			}
		case "conditional_expression": // a if b else c
			if parts := p.Parts(); len(parts) == 3 && parts[1].Start() != n.Start() {
				look(parts[1], parts[0].Start() == n.Start())
			}
		case "binary_expression", "boolean_operator":
			if op := p.Child("operator").Text(); n.Field() == "right" && (op == "&&" || op == "and") {
				look(p.Child("left"), true)
			}
		case "switch_case", "case_clause":
			look(p.First(), true)
		case "block", "statement_block", "module", "program":
			for _, s := range p.Parts() {
				if s.Start() >= n.Start() {
					break
				}
				if s.Kind() == "if_statement" && !s.Child("alternative").OK() && goes(s.Child("consequence")) {
					look(s.Child("condition"), false)
				}
			}
		}
	}
	return wanted, asked
}

// goes reports whether a branch always leaves the block around it.
func goes(branch syntax.Node) bool {
	parts := branch.Parts()
	if len(parts) > 0 && (branch.Kind() == "block" || branch.Kind() == "statement_block") {
		branch = parts[len(parts)-1]
	}
	switch kind, _, _ := strings.Cut(branch.Kind(), "_"); kind {
	case "return", "throw", "raise", "continue", "break":
		return true
	}
	return false
}
