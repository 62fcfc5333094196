package mistakes

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// unknown is a name that a file reads and does not define.
type unknown struct {
	file  *inspect.File
	name  string
	line  int
	quote string
	// elsewhere is the line where another function of the file defines the name, 0 if none does.
	elsewhere int
	// loads is true if the file uses the name only to load modules (see loads).
	loads bool
}

// perhaps is the prefix of those names in passed.given that a file only suggests to be global, by self.x or typeof x.
const perhaps = "? "

// maxUnknown is the maximum number of unknown names in a file that are reported without doubt. In a file with more
// of them, something outside of the file may define the names, so all of them become candidates (only suspected).
const maxUnknown = 2

// tellUnknown reports the unknown names. given has the names that some file defines for all files.
func tellUnknown(all []unknown, given map[string]bool, tell func(inspect.Finding)) {
	files, names, folders := map[string]int{}, map[string]int{}, map[string]map[string]bool{}
	for _, u := range all {
		if u.sure() {
			continue
		}
		files[u.file.Path]++
		names[u.name]++
	}
	for _, u := range all {
		dir := u.file.Dir()
		if u.sure() || u.file.Lang == "JavaScript" && names[u.name] == 1 {
			continue // if only one file reads the name without a definition, the name is probably misspelt there
		}
		if folders[dir] == nil {
			folders[dir] = map[string]bool{}
		}
		folders[dir][u.file.Path] = true
	}
	for _, u := range all {
		if given[u.name] || given[perhaps+u.name] && !u.sure() {
			continue
		}
		out := inspect.Finding{
			Severity: inspect.Medium, Path: u.file.Path, Line: u.line, Evidence: u.quote, Same: u.name,
			Title: inspect.Clip(fmt.Sprintf("The name %s is not defined", u.name), 100),
			Why: fmt.Sprintf("Nothing in the file defines or imports %s, so the line fails as soon as it runs, "+
				"perhaps only in a rare case.", u.name),
			Advice: "Import or define it, or correct its spelling.",
			Cause: inspect.Cause{Key: fmt.Sprintf("unknown name %s:%d", u.file.Path, u.line),
				Text: fmt.Sprintf("line %d of %s", u.line, u.file.Path)},
		}
		if u.sure() {
			out.Why = fmt.Sprintf("Only another part of the file defines %s (line %d), and that definition is not "+
				"valid here, so the line fails as soon as it runs.", u.name, u.elsewhere)
			out.Advice = "Pass it as an argument, define it in a scope that contains both lines, or correct its " +
				"spelling."
		}
		switch {
		case u.sure():
		case files[u.file.Path] > maxUnknown || names[u.name] > 1 ||
			len(folders[u.file.Dir()]) > 1 || u.file.Lang == "JavaScript" && len(folders[u.file.Dir()]) > 0:
			out.Suspect("something outside of the file may define it: there are more such names or files")
		case u.file.Lang == "Python" && strings.Contains(strings.TrimSuffix(u.file.Base(), ".py"), "."):
			out.Suspect("no import can name the file, so a program may run it and define the name")
		case u.loads:
			out.Suspect("the file only calls it as it loads, " +
				"with the names of modules: a framework may define such a loader")
		case u.file.Lang == "JavaScript" && strings.ToUpper(u.name) == u.name:
			out.Suspect("its name is that of a constant, which frameworks give to their plugins")
		}
		tell(out)
	}
}

// sure reports whether the file itself shows that no other file defines the name.
func (u *unknown) sure() bool { return u.elsewhere > 0 }

// speech describes how a language defines names.
type speech struct {
	builtins map[string]bool
	// binds maps kinds of nodes to the fields in which they define names; "" means anywhere below the node.
	binds map[string][]string
	// quiet matches the texts of files for which no unknown names are reported, because other files may define the
	// names.
	quiet *inspect.Regexp
	// skip reports whether an identifier is not the name of a variable.
	skip func(n syntax.Node) bool
}

// bind records the names that a node defines.
func (s *speech) bind(n syntax.Node, bound map[string]bool) {
	for _, field := range s.binds[n.Kind()] {
		if field == "" {
			bindAll(n, bound)
		} else {
			bindPattern(n.Child(field), bound)
		}
	}
}

// bound returns how often a file defines each name, without the nodes of some kinds.
func (s *speech) bound(t *inspect.Tree, without ...string) map[string]int {
	count := map[string]int{}
	for n := range t.Root().All() {
		if len(s.binds[n.Kind()]) == 0 || slices.Contains(without, n.Kind()) {
			continue
		}
		names := map[string]bool{}
		s.bind(n, names)
		for name := range names {
			count[name]++
		}
	}
	return count
}

var pythonNames = &speech{
	builtins: inspect.Words(`ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup
		BlockingIOError
		BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
		ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError
		Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit
		IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
		KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
		NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
		PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
		StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError
		UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning
		UserWarning ValueError Warning WindowsError ZeroDivisionError __build_class__ __debug__ __doc__ __import__
		__loader__ __name__ __package__ __spec__ __file__ __path__ __cached__ __builtins__ __class__ __module__
		__qualname__ __annotations__ __dict__ __all__ __version__ abs aiter all anext any ascii bin bool breakpoint
		bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate eval
		exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass
		iter len license list locals map max memoryview min next object oct open ord pow print property quit range repr
		reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip _ __ N_ P_ ngettext gettext
		reveal_type self cls match case get_ipython`),
	binds: map[string][]string{
		"assignment": {"left"}, "augmented_assignment": {"left"}, "for_statement": {"left"}, "for_in_clause": {"left"},
		"named_expression": {"name"}, "as_pattern_target": {""}, "function_definition": {"name"},
		"class_definition": {"name"}, "parameters": {""}, "lambda_parameters": {""}, "import_statement": {""},
		"import_from_statement": {""}, "future_import_statement": {""}, "global_statement": {""},
		"nonlocal_statement": {""}, "case_pattern": {""}, "delete_statement": {""}, "type_parameter": {""},
		"type_alias_statement": {""},
	},
	quiet: inspect.Pattern(`(?m)^\s*from\s+\S+\s+import\s+\(?\*|\bexec\(|\bglobals\(\)|\blocals\(\)|\bvars\(\)|` +
		`__builtins__|\bbuiltins\b|__builtin__|\bPY[23]\b|version_info|\bsix\b|^#!.*python2|NameError|^# ?type:|` +
		`execfile|\bimp\b|gettext\.install|\.install\(|exec_module|^%|flake8: ?noqa|pyflakes`),
	skip: func(n syntax.Node) bool {
		switch p := n.Parent(); p.Kind() {
		case "attribute":
			return n.Field() == "attribute"
		case "keyword_argument":
			return n.Field() == "name"
		case "print_statement", "exec_statement":
			return true
		}
		return n.Around("type", "ERROR", "decorator").OK()
	},
}

var scriptNames = &speech{
	builtins: inspect.Words(`undefined NaN Infinity globalThis global window self document navigator location history
		screen process console require module exports __dirname __filename Buffer setTimeout clearTimeout setInterval
		clearInterval setImmediate clearImmediate queueMicrotask structuredClone fetch Request Response Headers FormData
		Blob File FileReader URL URLSearchParams URLPattern AbortController AbortSignal Event EventTarget CustomEvent
		MessageChannel MessagePort MessageEvent BroadcastChannel WebSocket WebAssembly Worker SharedWorker
		XMLHttpRequest TextEncoder TextDecoder TextDecoderStream TextEncoderStream ReadableStream WritableStream
		TransformStream CompressionStream DecompressionStream performance PerformanceObserver crypto Crypto CryptoKey
		SubtleCrypto atob btoa alert confirm prompt localStorage sessionStorage indexedDB caches Node Element HTMLElement
		DOMException DOMParser DOMRect MutationObserver ResizeObserver IntersectionObserver Image Audio Option
		requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback getComputedStyle matchMedia
		addEventListener removeEventListener dispatchEvent postMessage importScripts close open print scroll scrollTo
		customElements ShadowRoot Notification EventSource CSS Range Selection KeyboardEvent MouseEvent TouchEvent
		PointerEvent
		Object Function Array String Boolean Number Symbol BigInt Math Date RegExp Error AggregateError EvalError
		RangeError ReferenceError SyntaxError TypeError URIError JSON Promise Proxy Reflect Map Set WeakMap WeakSet WeakRef
		FinalizationRegistry Iterator ArrayBuffer SharedArrayBuffer Atomics DataView Int8Array Uint8Array
		Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array
		BigInt64Array BigUint64Array Intl isNaN isFinite parseInt parseFloat decodeURI decodeURIComponent encodeURI
		encodeURIComponent escape unescape eval arguments this super new define describe it test expect before after
		beforeEach afterEach beforeAll afterAll jest vi suite setup teardown $ jQuery _ chrome browser Deno Bun React JSX
		parent top opener frames
		async await of get set static as from let yield target meta import ActiveXObject WScript java Packages cordova
		angular goog gapi google ga gtag __non_webpack_require__ __webpack_require__ __webpack_public_path__`),
	binds: map[string][]string{
		"variable_declarator": {"name"}, "function_declaration": {"name"}, "generator_function_declaration": {"name"},
		"function_expression": {"name"}, "generator_function": {"name"}, "class_declaration": {"name"}, "class": {"name"},
		"formal_parameters": {""}, "arrow_function": {"parameter"}, "catch_clause": {"parameter"}, "import_clause": {""},
		"import_specifier": {""}, "namespace_import": {""}, "assignment_expression": {"left"},
		"augmented_assignment_expression": {"left"}, "update_expression": {"argument"}, "for_in_statement": {"left"},
		"export_specifier": {""}, "namespace_export": {""},
	},
	quiet: inspect.Pattern(`\bwith \(|\beval\(|\bvm\b|eslint-disable|importScripts|@flow|__webpack|` +
		`\bsails\b|\bwindow\s*[.;,)]|\bdocument\s*\.|\bMeteor\b|\bGame\.|#!.*phantomjs|\bdefine\(`),
	skip: func(n syntax.Node) bool {
		p := n.Parent()
		switch p.Kind() {
		case "meta_property", "namespace_export":
			return true
		case "export_specifier": // names of another module, or the name that others import
			return n.Field() == "alias" || n.Around("export_statement").Child("source").OK()
		}
		return strings.HasPrefix(p.Kind(), "jsx_") || n.Around("ERROR").OK()
	},
}

// loads reports whether every use of a name in a script is its call with one constant text, outside of functions, for
// the value of a variable: const a = use('A/B'). If nothing defined the name, each start of the program would
// fail there.
func loads(t *inspect.Tree, name string) bool {
	found := false
	for n := range t.Root().All() {
		if n.Kind() != "identifier" || n.Text() != name {
			continue
		}
		call := n.Parent()
		args := call.Args()
		if call.Kind() != "call_expression" || n.Field() != "function" ||
			len(args) != 1 || args[0].Kind() != "string" || call.Parent().Kind() != "variable_declarator" ||
			call.Around(functionScopes...).Kind() != "program" {
			return false
		}
		found = true
	}
	return found
}

// ofPages has names that only scripts of pages can read without a definition.
var ofPages = inspect.Words("$ jQuery document window alert localStorage sessionStorage XMLHttpRequest HTMLElement")

// unknownIn returns the names that a file reads and does not define, each once. It adds to given the names that the
// file defines for all files: as a field of the global object, by an assignment without a declaration, or perhaps by
// testing whether the name is defined. The file must have no syntax errors.
func unknownIn(t *inspect.Tree, s *speech, given map[string]bool) (out []unknown) {
	bound := map[string]bool{}
	for n := range t.Root().All() {
		switch n.Kind() {
		case "member_expression":
			switch n.Child("object").Text() {
			case "global", "window", "globalThis", "root":
				given[n.Child("property").Text()] = true
			case "self": // a worker's global object, but also a usual name of "this"
				given[perhaps+n.Child("property").Text()] = true
			}
		case "unary_expression":
			if n.Child("operator").Text() == "typeof" {
				given[perhaps+n.Child("argument").Text()] = true
			}
		case "print_statement", "exec_statement":
			return nil // valid only in another version of the language
		}
		s.bind(n, bound)
	}
	known := func(_ syntax.Node, name string) bool { return bound[name] }
	elsewhere := func(string) int { return 0 }
	if s == scriptNames {
		in := scopesOf(t)
		if !isModule(t, in) {
			return nil
		}
		assigned := in.assigned(t)
		known = func(n syntax.Node, name string) bool { return in.has(n, name) || assigned[name] }
		lines := sync.OnceValue(func() map[string]int { return in.lines(t) })
		elsewhere = func(name string) int { return lines()[name] }
		for name := range assigned {
			given[name] = true
		}
	}
	seen := map[string]bool{}
	for n := range t.Root().All() {
		if p := n.Parent(); p.Kind() == "member_expression" && p.Parent().Kind() == "assignment_expression" &&
			n.Field() == "object" && p.Field() == "left" && n.Kind() == "identifier" && !bound[n.Text()] &&
			!s.builtins[n.Text()] {
			return nil // the file extends an object of a page whose other scripts define names
		}
		if k := n.Kind(); k != "identifier" && k != "shorthand_property_identifier" {
			continue
		}
		name := n.Text()
		if s == scriptNames && ofPages[name] && !known(n, name) && !s.skip(n) && !guarded(n, name) {
			return nil // the page's other scripts may define names
		}
		if _, removed := pythonRemovals()["builtins."+name]; removed && t.File.Lang == "Python" {
			continue // the check healer/removed-name reports it
		}
		if s.builtins[name] || known(n, name) || seen[name] || len(name) < 2 || s.skip(n) || guarded(n, name) {
			continue
		}
		seen[name] = true
		if line := n.Line(); !t.Accepted(line) && !t.Commented(line, line) && !n.Unreachable() {
			out = append(out, unknown{t.File, name, line, t.Quote(line), elsewhere(name), loads(t, name)})
		}
	}
	return out
}
