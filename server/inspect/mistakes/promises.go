package mistakes

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// values lists members of arrays, strings and other values that promises do not have.
var values = inspect.Words(`length map filter forEach reduce some every find findIndex join slice splice push pop shift
	includes indexOf split trim toLowerCase toUpperCase replace sort reverse concat size has keys entries`)

// asyncOf begins the Same of a finding that is true only if all functions with one name are asynchronous. The name
// follows the prefix.
const asyncOf = "async "

// forgottenAwaits reports calls of asynchronous functions whose promise is used as the result. It knows that a
// function is asynchronous if the file declares it, or awaits the same call at another place. Otherwise Same has
// the name of the called method, and a later step decides.
func forgottenAwaits(t *inspect.Tree, tell func(inspect.Finding)) {
	own := asyncNames(t, "function_declaration", "method_definition")
	awaited, uses := map[string]int{}, usesOf(t)
	for n := range t.Root().All() {
		if n.Kind() == "await_expression" {
			awaited[n.First().Callee()]++
		}
	}
	for n := range t.Root().All() {
		if n.Kind() != "variable_declarator" || n.Child("name").Kind() != "identifier" || t.Accepted(n.Line()) {
			continue
		}
		callee := n.Child("value").Callee()
		name := callee[strings.LastIndexByte(callee, '.')+1:]
		if callee == "" {
			continue
		}
		use := valueUse(n, uses[n.Child("name").Text()])
		if !use.OK() {
			continue
		}
		same := ""
		switch bare := strings.TrimPrefix(callee, "this."); {
		case own[bare] > 0 && (callee != bare) == (own[bare] == method), awaited[callee] > 0 && !promised(use):
		case strings.Contains(callee, ".") && len(name) > 6:
			same = asyncOf + name
		default:
			continue
		}
		tell(inspect.Finding{
			Severity: inspect.High, Path: t.File.Path, Line: n.Line(), Same: same,
			Evidence: t.Quote(n.Line()) + "\n" + t.Quote(use.Line()),
			Title:    inspect.Clip(fmt.Sprintf("The promise of %s is used as its result", callee), 100),
			Why: "The function is asynchronous, and the call is not awaited: the promise has no members or " +
				"elements, so the code that uses it finds nothing, or throws.",
			Advice: "Await the call.",
			Mend:   awaitCall(t, n),
		})
	}
}

// awaitCall returns the change that puts "await" before the value of a variable. It returns no change if the
// enclosing function is not asynchronous.
func awaitCall(t *inspect.Tree, n syntax.Node) inspect.Mend {
	if !n.Around(functions...).Has("async") {
		return inspect.Mend{}
	}
	old := n.Child("name").Text() + " = "
	if !strings.Contains(t.Quote(n.Line()), old) {
		return inspect.Mend{}
	}
	return inspect.Mend{Old: old, New: old + "await "}
}

// valueUse returns the first place that uses a variable as a value and not as a promise. It returns the zero Node
// if some place uses the variable in another way. all has the places that read the variable's name.
func valueUse(n syntax.Node, all []syntax.Node) (use syntax.Node) {
	in := n.Around("statement_block", "program")
	if len(all) > maxUses {
		return use
	}
	for _, c := range all {
		if !c.Within(in) || c.Within(n) {
			continue
		}
		p := c.Parent()
		switch {
		case p.Kind() == "for_in_statement" && c.Field() == "right":
		case p.Kind() == "subscript_expression" && c.Field() == "object":
		case p.Kind() == "member_expression" && c.Field() == "object" && values[p.Child("property").Text()]:
		default:
			return syntax.Node{}
		}
		if !use.OK() {
			use = c
		}
	}
	return use
}

// promised reports whether the promises of some library may have the member that is read, such as map or filter.
func promised(use syntax.Node) bool {
	p := use.Parent()
	return p.Kind() == "member_expression" && p.Child("property").Text() != "length"
}

// countAsync counts the functions and methods of a file by name: those that are asynchronous, and the others.
func countAsync(t *inspect.Tree, async, others map[string]int) {
	kinds := []string{"function_declaration", "method_definition", "function_signature", "method_signature", "pair"}
	for n := range t.Root().All() {
		def, name := n, n.Child("name").Text()
		switch {
		case !slices.Contains(kinds, n.Kind()):
			if n.Kind() == "assignment_expression" && n.Child("left").Kind() == "member_expression" {
				others[n.Child("left").Child("property").Text()]++
			}
			continue
		case n.Kind() == "pair":
			def, name = n.Child("value"), n.Child("key").Text()
		}
		if def.Has("async") && !def.Has("*") {
			async[name]++
		} else {
			others[name]++
		}
	}
}
