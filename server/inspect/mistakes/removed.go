package mistakes

import (
	"fmt"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// oldestNode is the oldest version of Node.js that its authors still support.
const oldestNode = 22

// removal says since which version a member of Node.js is missing, and what replaces it.
type removal struct {
	since   int
	instead string // "" for a member without a replacement
	same    bool   // instead takes the same arguments
}

// removals lists removed members of Node.js. Each was tested by running it in an older version, in the version that
// its field since names, and in version 26.
var removals = map[string]removal{
	"util.isBoolean": {23, "typeof", false}, "util.isBuffer": {23, "Buffer.isBuffer", true},
	"util.isDate": {23, "util.types.isDate", true}, "util.isError": {23, "instanceof Error", false},
	"util.isFunction": {23, "typeof", false}, "util.isNull": {23, "=== null", false},
	"util.isNullOrUndefined": {23, "== null", false}, "util.isNumber": {23, "typeof", false},
	"util.isObject": {23, "typeof and a comparison with null", false}, "util.isPrimitive": {23, "typeof", false},
	"util.isRegExp": {23, "util.types.isRegExp", true}, "util.isString": {23, "typeof", false},
	"util.isSymbol": {23, "typeof", false}, "util.isUndefined": {23, "=== undefined", false},
	"util.log": {23, "console.log", true}, "util.puts": {12, "console.log", true}, "util.print": {12, "", false},
	"util.error": {12, "console.error", true}, "util.debug": {12, "console.error", true},
	"util.pump": {6, "stream.pipeline", false}, "sys.puts": {12, "console.log", true}, "sys.print": {12, "", false},
	"sys.error": {12, "console.error", true}, "sys.log": {23, "console.log", true},
	"sys.debug": {12, "console.error", true}, "sys.pump": {6, "stream.pipeline", false},
	"os.tmpDir": {14, "os.tmpdir", true}, "os.getNetworkInterfaces": {12, "os.networkInterfaces", true},
	"path.exists": {6, "fs.access", false}, "path.existsSync": {6, "fs.existsSync", false},
	"crypto.createCipher":      {22, "crypto.createCipheriv", false},
	"crypto.createDecipher":    {22, "crypto.createDecipheriv", false},
	"crypto.createCredentials": {12, "tls.createSecureContext", false},
	"tls.createSecurePair":     {24, "tls.TLSSocket", false},
	"tls.parseCertString":      {18, "querystring.parse", false}, "process.assert": {23, "assert", false},
	"process.EventEmitter": {8, "require('events')", false}, "timers.enroll": {24, "setTimeout", false},
	"timers.unenroll": {24, "clearTimeout", false}, "timers.active": {24, "", false},
	"http.createClient": {8, "http.request", false}, "vm.runInDebugContext": {10, "the module inspector", false},
	"fs.SyncWriteStream":           {10, "fs.createWriteStream", false},
	"module.createRequireFromPath": {16, "module.createRequire", true},
	"buffer.SlowBuffer":            {25, "Buffer.allocUnsafeSlow", false}, "GLOBAL": {14, "global", true},
}

// callbacks maps functions of the module fs to the number of arguments before the callback. Since version 10 these
// functions throw if the callback is missing.
var callbacks = map[string]int{
	"access": 1, "appendFile": 2, "chmod": 2, "chown": 3, "copyFile": 2, "exists": 1, "fchmod": 2, "fdatasync": 1,
	"fstat": 1, "fsync": 1, "link": 2, "lstat": 1, "mkdir": 1, "mkdtemp": 1, "open": 1, "readFile": 1, "readdir": 1,
	"readlink": 1, "realpath": 1, "rename": 2, "rmdir": 1, "stat": 1, "symlink": 2, "truncate": 1, "unlink": 1,
	"utimes": 3, "writeFile": 2,
}

func findRemoved(t *inspect.Tree, tell func(inspect.Finding)) {
	if !inspect.HasAny(t.Text, "require(", "import ", "GLOBAL", "process.") {
		return
	}
	names := nodeNames(t)
	asked := map[string]bool{} // members that are read but not called; the file may test whether they exist
	var found []inspect.Finding
	var members []string
	for n := range t.Root().All() {
		member := names.resolve(n)
		gone, ok := removals[member]
		switch {
		case ok && binding(n):
			continue
		case ok && !needed(n):
			asked[member] = true
			continue
		case ok:
			out := inspect.Finding{
				Title: fmt.Sprintf("Node.js %d and later have no %s", gone.since, member),
				Why: fmt.Sprintf("%s was removed, so the line throws as soon as it runs there. Node.js %d is the oldest version "+
					"that is still supported.", member, oldestNode),
				Advice: "Delete the call, or write it in another way.", Size: gone.since,
			}
			if gone.instead != "" {
				out.Advice = fmt.Sprintf("Use %s instead.", gone.instead)
			}
			if gone.same {
				out.Mend = replacement(n, member, gone.instead)
			}
			found, members = append(found, placed(t, n, member, out)), append(members, member)
		case n.IsCall():
			if out, ok := refused(n, names.resolve(n.Child("function"))); ok {
				found, members = append(found, placed(t, n, strings.Fields(out.Title)[0], out)), append(members, "")
			}
		}
	}
	for i, out := range found {
		if out.Line > 0 && !asked[members[i]] {
			tell(out)
		}
	}
}

// replacement returns the change that replaces a member by another one. It uses the name that the file has given to
// the module.
func replacement(n syntax.Node, member, instead string) inspect.Mend {
	module, _, _ := strings.Cut(member, ".")
	rest, same := strings.CutPrefix(instead, module+".")
	switch {
	case same && n.Kind() == "member_expression":
		return inspect.Mend{Old: n.Text(), New: n.Child("object").Text() + "." + rest}
	case same:
		return inspect.Mend{}
	}
	return inspect.Mend{Old: n.Text(), New: instead}
}

// placed completes a finding about a node. If the code around the node may handle the failure, or a comment accepts
// the code, the finding's Line stays 0.
func placed(t *inspect.Tree, n syntax.Node, what string, out inspect.Finding) inspect.Finding {
	module, _, _ := strings.Cut(what, ".")
	if t.Accepted(n.Line()) || guarded(n, "") || n.Unreachable() || n.Around("ERROR").OK() || choice(n, module) {
		return out
	}
	out.Severity = inspect.Medium
	if out.Size <= oldestNode {
		out.Severity = inspect.High
	}
	out.Path, out.Line, out.Evidence = t.File.Path, n.Line(), t.Quote(n.Line())
	out.Cause = inspect.Cause{Key: "removed " + what, Text: "the calls of " + what}
	return out
}

// binding reports whether an identifier only defines a name.
func binding(n syntax.Node) bool {
	p := n.Parent()
	return p.Kind() == "variable_declarator" && n.Field() == "name" || p.Kind() == "import_specifier" ||
		p.Kind() == "pair_pattern"
}

// needed reports whether the code calls a value or reads one of its members, which throws if the value is
// undefined.
func needed(n syntax.Node) bool {
	switch p := n.Parent(); p.Kind() {
	case "call_expression":
		return n.Field() == "function"
	case "new_expression":
		return n.Field() == "constructor"
	case "member_expression":
		return n.Field() == "object"
	}
	return false
}

// choice reports whether a condition around a node reads the module, because the condition may test whether the
// module has a member.
func choice(n syntax.Node, module string) bool {
	for p := n.Parent(); p.OK(); n, p = p, p.Parent() {
		var cond syntax.Node
		switch p.Kind() {
		case "if_statement", "ternary_expression":
			cond = p.Child("condition")
		case "binary_expression":
			cond = p.Child("left")
		}
		if cond.OK() && n.Start() != cond.Start() && strings.Contains(cond.Text(), module+".") {
			return true
		}
	}
	return false
}

// refused returns a finding about a call of a function that exists but throws for these arguments.
func refused(n syntax.Node, member string) (out inspect.Finding, ok bool) {
	args := n.Args()
	if len(args) == 0 {
		return out, false
	}
	for _, a := range args {
		if a.Kind() == "spread_element" {
			return out, false
		}
	}
	module, name, _ := strings.Cut(member, ".")
	last := args[len(args)-1]
	before, takes := callbacks[name]
	switch {
	case module == "fs" && takes && (len(args) <= before || value(last)):
		return inspect.Finding{
			Title: fmt.Sprintf("fs.%s is called without a callback, so it throws", name), Size: 10,
			Why: fmt.Sprintf("Since Node.js 10 fs.%s without a callback throws a TypeError (ERR_INVALID_ARG_TYPE) and does "+
				"nothing.", name),
			Advice: fmt.Sprintf("Pass a callback that looks at the error, or use fs.%sSync or fs.promises.%[1]s.", name),
		}, true
	case module == "fs" && writers[name] && len(args) > 1 && numeric(args[1]):
		return inspect.Finding{
			Title: fmt.Sprintf("fs.%s refuses a number, so it throws", name), Size: 14,
			Why: fmt.Sprintf("Since Node.js 14 fs.%s throws a TypeError (ERR_INVALID_ARG_TYPE) if its data is a number, and "+
				"writes nothing.", name),
			Advice: "Convert the number with String.",
		}, true
	}
	return out, false
}

// writers lists functions of the module fs that write their second argument.
var writers = inspect.Words("writeFile writeFileSync appendFile appendFileSync")

// numeric reports whether an expression is certainly a number.
func numeric(n syntax.Node) bool {
	n = n.Bare()
	switch n.Kind() {
	case "number":
		return true
	case "member_expression":
		return n.Child("property").Text() == "pid" && !n.Has("optional_chain")
	}
	return n.Callee() == "Date.now" || n.Callee() == "parseInt" || n.Callee() == "Number"
}

// literal reports whether a node is a function expression or an arrow function.
func literal(n syntax.Node) bool {
	return n.Kind() == "arrow_function" || n.Kind() == "function_expression"
}

// value reports whether an expression is certainly not a function.
func value(n syntax.Node) bool {
	switch n.Kind() {
	case "string", "template_string", "number", "object", "array", "true", "false":
		return true
	}
	return false
}
