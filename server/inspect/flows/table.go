package flows

import (
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// kinds is a set of kinds of harm, one bit for each.
type kinds uint16

const (
	sql kinds = 1 << iota
	command
	files
	fetch
	code
	template
	object
	all kinds = 1<<iota - 1
	// unsure marks a value that may be harmless, because a function's name suggests a test or a conversion.
	unsure kinds = 1 << 15
	// outgoing marks a value that may belong to a request which the program sends.
	outgoing kinds = 1 << 14
	// narrow marks a value without a path separator. Such a path leads at most to the parent folder.
	narrow kinds = 1 << 13
	doubts       = unsure | outgoing | narrow
)

// kindInfo describes one kind of harm.
type kindInfo struct {
	bit kinds
	// ID is the last part of the check's id.
	ID, Name    string
	cwe         int
	severity    string // of a flow from a request
	operator    bool   // whether a flow from the operator's own arguments is reported
	why, advice string
}

var kindsOf = []kindInfo{
	{
		sql, "sql-injection", "SQL injection", 89, inspect.High, true,
		"The value becomes a part of the statement: whoever sends it can read or change rows that are not theirs.",
		"Keep the statement constant, with a placeholder, and pass the value as a parameter. " +
			"Choose names of columns from a fixed list.",
	},
	{
		command, "command-injection", "Command injection", 78, inspect.Critical, true,
		"A shell reads the value, or it names the program: " +
			"a ; or $( in it runs any command with the rights of the program.",
		"Start a fixed program without a shell and pass the value as a separate argument after \"--\".",
	},
	{
		files, "path-traversal", "Path traversal", 22, inspect.High, false,
		"With ../ or as an absolute path the value leads to files that nobody meant to share.",
		"Take the base name only, or resolve the path and refuse it unless it stays below the folder (os.Root in Go).",
	},
	{
		fetch, "ssrf", "Server-side request forgery (SSRF)", 918, inspect.High, false,
		"Whoever sends the value chooses where the server connects to: internal services and cloud metadata answer it.",
		"Choose the host from a fixed list and compare the host of the parsed URL before the request.",
	},
	{
		code, "code-injection", "Code injection (eval)", 94, inspect.Critical, true,
		"The value is run as code with all rights of the program.",
		"Parse the value as data (JSON), or choose one of some functions by its name.",
	},
	{
		template, "template-injection", "Template injection", 1336, inspect.High, false,
		"The value becomes a part of the template's text: template expressions in it run on the server.",
		"Keep the template constant and pass the value as one of its variables.",
	},
	{
		object, "unsafe-deserialization", "Unsafe deserialization", 502, inspect.Critical, false,
		"The format can name functions that are called while it is read: whoever sends the data runs code.",
		"Take JSON, or a loader that builds plain values only (yaml.safe_load).",
	},
}

// source is a name whose values come from outside of the program.
type source struct {
	name    string           // in words: "a request's query"
	call    bool             // the source is the result of a call of the name
	clean   kinds            // kinds of harm that such a value cannot do
	request bool             // the value comes from a request, not from the operator
	parts   map[string]kinds // kinds of harm that the source's fields cannot do
	deep    bool             // parts are those of the source's elements, such as files, whose names a request chooses
	segment bool             // the value has no path separator, unless a route has its name after a *
}

// sink is a function that can do harm with its arguments.
type sink struct {
	kind kinds
	args []int    // positions of dangerous arguments, -1 for the receiver
	keys []string // names of dangerous arguments
	lead bool     // only the beginning of the argument can do harm
	dots bool     // the function refuses paths with "..", but the ".." may have been resolved before
	when func(*site) bool
}

// rule says which taints the result of a library function has.
type rule struct {
	clean    kinds
	receiver bool // the result has the taints of the receiver; if not set, those of the arguments
	joins    bool // the result is the concatenation of the operands
	normal   bool // the function resolves ".."
	both     bool // the result has the taints of the receiver and of the arguments
	keyed    bool // the first argument is the name of the part that is returned
}

// write describes a call that writes into the argument at position to. It writes the arguments from position from on,
// its receiver if from is -1, or what comes from source if that is set.
type write struct {
	source   *source
	from, to int
}

// table describes the functions of a language and its libraries for the engine: which are sources, which are sinks,
// and what others do with a value. Keys are dotted names.
type table struct {
	sources  map[string]*source
	sinks    map[string][]sink // "*.name" stands for a method of an unknown receiver
	passes   map[string]rule
	writes   map[string]write
	types    map[string]string   // the type of each result or field
	routes   map[string]int      // functions that register a view for a path pattern: which argument is the view
	leaves   map[string]bool     // functions that never return
	names    map[string]bool     // all known names of libraries
	strict   bool                // values always have their declared types in the language
	handlers map[string][]string // the types of the parameters of registered functions
	carriers map[string]bool     // types whose parts are sources, such as requests
	words    map[string]bool     // the last parts of the sources' names
	numbers  map[string]bool     // types whose values contain no text
	parsed   map[string]bool     // types whose fields are parts of one text, such as a URL
	parses   map[string]bool     // functions that convert a text to a number or the like, and fail for other texts
	fills    map[string]bool     // methods that add to their receiver
	each     map[string]bool     // methods that call a function with each element: true if they return its results
	prefixes map[string]bool     // tests for a prefix: the text, then the prefix, or the text as the receiver
	patterns map[string]bool     // tests of a text by a pattern
	tests    map[string]bool     // tests that succeed only for harmless texts
	members  map[string]bool     // tests whether an argument is in a list
}

// hit is a sink that tainted values reach.
type hit struct {
	kind   *kindInfo
	sink   string
	taints []*taint
}

// hits returns the sinks (dangerous functions) that a call passes tainted values to, with these values.
func (t *table) hits(c *site) []hit {
	list := t.sinks[c.name]
	if list == nil && (c.callee == nil || c.callee.fn == nil) {
		list = t.sinks["*."+c.method]
	}
	var out []hit
	for i := range list {
		k := &list[i]
		if k.when != nil && !k.when(c) {
			continue
		}
		var reach []*taint
		for j, a := range c.args {
			name := ""
			if j < len(c.expr.Keys) {
				name = c.expr.Keys[j]
			}
			switch {
			case name == "" && slices.Contains(k.args, j) && len(a.parts()) > 0 && len(k.keys) > 0:
				for _, field := range k.keys {
					reach = joined(reach, harmful(k, a.parts()[field]))
				}
			case name == "" && slices.Contains(k.args, j) || name != "" && slices.Contains(k.keys, name):
				reach = joined(reach, harmful(k, a))
			}
		}
		if slices.Contains(k.args, -1) {
			reach = joined(reach, harmful(k, c.base))
		}
		if len(reach) > 0 {
			out = append(out, hit{infoOf(k.kind), c.shown(), reach})
		}
	}
	return out
}

func (c *site) shown() string {
	if c.name != "" && !strings.Contains(c.name, "()") {
		return c.name[strings.LastIndexByte(c.name, '/')+1:]
	}
	return c.method
}

func infoOf(k kinds) *kindInfo {
	for i := range kindsOf {
		if kindsOf[i].bit == k {
			return &kindsOf[i]
		}
	}
	return &kindsOf[0]
}

// harmful returns the taints of a value that can do harm in a sink.
func harmful(k *sink, v *value) []*taint {
	var out []*taint
	for _, t := range v.flat() {
		if t.clean&k.kind != 0 || k.lead && !leads(t.before) || k.dots && !t.normal && t.before != "" {
			continue
		}
		if !t.source.request && (!infoOf(k.kind).operator || t.before == "") {
			continue // a program may run what its operator names
		}
		out = append(out, t)
	}
	return out
}

// leads reports whether the text after `before` can still choose the host of a URL, or the program to run.
func leads(before string) bool {
	if _, rest, ok := strings.Cut(before, "://"); ok && !strings.Contains(before, "\x00") {
		return rest == ""
	}
	return before == ""
}

// suffixes has the methods that test with which text another text ends, in all languages.
var suffixes = inspect.Words("endsWith endswith HasSuffix")

// guards returns the guards (which harm is ruled out) that apply after a test by a library function has succeeded (yes)
// or failed (no).
func (t *table) guards(c *site) (yes, no []guard) {
	arg := func(i int) *value {
		if i >= 0 && i < len(c.args) {
			return c.args[i]
		}
		return nil
	}
	text, other := arg(0), arg(1)
	if c.base != nil && len(c.base.flat()) > 0 || len(c.args) == 1 {
		if text != nil && len(text.flat()) == 0 || text == nil {
			text, other = c.base, arg(0)
		}
	}
	name := c.name
	if !t.prefixes[name] && !t.patterns[name] && !t.members[name] && !t.tests[name] {
		name = "*." + c.method
	}
	switch {
	case suffixes[c.method]:
		for _, f := range text.flat() {
			if other.isFixed() {
				yes = append(yes, guard{origin: f.origin, after: other.text})
			}
		}
	case t.prefixes[name]:
		for _, f := range text.flat() {
			if f.normal {
				yes = append(yes, guard{origin: f.origin, kinds: files})
			}
			if other != nil && strings.HasPrefix(other.text, "..") {
				no = append(no, guard{origin: f.origin, kinds: files})
			}
			if other != nil && leadsToHost(other.text) {
				yes = append(yes, guard{origin: f.origin, kinds: fetch})
			}
		}
	case t.tests[name]:
		yes = text.guarded(all)
	case t.patterns[name]:
		if len(text.flat()) == 0 {
			text = arg(len(c.args) - 1)
			if len(c.args) > 1 && len(text.flat()) == 0 {
				text = arg(1)
			}
		}
		p := patternOf(c)
		k, known := matching(p, t.test(c))
		if yes = text.guarded(k | unsure); known {
			no = text.guarded(failing(p))
		} else {
			no = yes
		}
	case t.members[name]:
		list, item := c.base, arg(0)
		if len(c.args) > 1 {
			list, item = arg(0), arg(1)
		}
		switch {
		case len(list.flat()) == 0:
			yes = item.guarded(all)
		case item != nil && item.fixed && strings.Contains(item.text, ".."):
			no = list.guarded(files)
		}
	}
	return yes, no
}

func leadsToHost(prefix string) bool {
	_, rest, ok := strings.Cut(prefix, "://")
	return ok && strings.Contains(rest, "/")
}

// patternOf returns the regular expression by which a call tests a text, "" if it is unknown.
func patternOf(c *site) string {
	if c.base != nil && c.base.text != "" {
		return c.base.text
	}
	if len(c.args) > 0 && c.args[0] != nil {
		return c.args[0].text
	}
	return ""
}

// test returns where in a text the match has to begin and end in a call such as re.match.
func (t *table) test(c *site) test {
	whole := c.method == "fullmatch"
	return test{whole || c.method == "match" && t.patterns["re.match"], whole}
}

// each calls add for each word of a text. The word "a.{b,c}" stands for "a.b" and "a.c".
func each(words string, add func(string)) {
	depth, from := 0, 0
	for i := 0; i <= len(words); i++ {
		switch {
		case i == len(words) || depth == 0 && strings.ContainsRune(" \t\n", rune(words[i])):
			if i > from {
				unfold(words[from:i], add)
			}
			from = i + 1
		case words[i] == '{':
			depth++
		case words[i] == '}':
			depth--
		}
	}
}

func unfold(w string, add func(string)) {
	head, rest, ok := strings.Cut(w, "{")
	if !ok {
		add(w)
		return
	}
	list, tail, _ := strings.Cut(rest, "}")
	for part := range strings.SplitSeq(list, ",") {
		unfold(head+strings.TrimSpace(part)+tail, add)
	}
}

func newTable() *table {
	return &table{
		sources: map[string]*source{}, sinks: map[string][]sink{}, passes: map[string]rule{},
		writes: map[string]write{},
		types:  map[string]string{}, handlers: map[string][]string{}, routes: map[string]int{},
	}
}

func (t *table) source(name string, call bool, clean kinds, words string) {
	each(words, func(w string) {
		t.sources[w] = &source{
			name: name, call: call, clean: clean, request: name != operatorName && name != environment,
		}
	})
}

func (t *table) sink(s sink, words string) {
	each(words, func(w string) { t.sinks[w] = append(t.sinks[w], s) })
}

func (t *table) pass(r rule, words string) { each(words, func(w string) { t.passes[w] = r }) }

func (t *table) typed(to, words string) { each(words, func(w string) { t.types[w] = to }) }

func (t *table) handler(params, words string) {
	each(words, func(w string) { t.handlers[w] = strings.Fields(params) })
}

// finish computes the fields of a table that depend on all of its sources, and returns the table.
func (t *table) finish() *table {
	t.carriers, t.words, t.names = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for name := range t.sources {
		t.names[name] = true
	}
	for name := range t.sinks {
		t.names[name] = true
	}
	for name := range t.passes {
		t.names[name] = true
	}
	for name, s := range t.sources {
		at := strings.LastIndexByte(name, '.')
		t.words[name[at+1:]] = true
		for ; at > strings.LastIndexByte(name, '/'); at = strings.LastIndexByte(name[:at], '.') {
			t.carriers[name[:at]] = s.request || t.carriers[name[:at]]
		}
		if !s.call {
			t.carriers[name] = true
		}
	}
	for name := range t.writes {
		t.words[name[strings.LastIndexByte(name, '.')+1:]] = true
	}
	for from, to := range t.types {
		if t.carriers[to] {
			t.words[from[strings.LastIndexByte(from, '.')+1:]] = true
			t.carriers[from] = true
		}
	}
	return t
}

// storedName is the name of the source for values that the program reads from a store. An earlier request may have
// put them there.
const storedName = "a stored value"

// Names of sources other than requests.
const (
	operatorName = "an argument of the command line"
	environment  = "an environment variable"
)
