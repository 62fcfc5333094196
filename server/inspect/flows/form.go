// Package flows follows values from where they enter a program (a request, the command line) to where they do harm (a
// shell, eval, SQL, a path, a fetched URL, a template, a deserializer). One engine does this for Go, JavaScript,
// TypeScript and Python: each language is lowered to one small form (Expr, Stmt, Func), in which imports are resolved
// to dotted names, and one table says which names are sources, sinks and sanitizers.
//
// The engine follows assignments, string building, fields, containers, and calls of the repository's own functions to
// a fixed depth. What it cannot resolve it takes as clean: it reports only paths of which it knows every step. It keeps
// no state between repositories, reads files only through inspect.Repo, starts no process, and limits its work by
// counts, not by time. The hero sentinel has its checks; scripts/benchreview measures them.
package flows

// Kind is the kind of an expression.
type Kind uint8

// Kinds of expressions. Args are operands in the order of the source text.
const (
	Opaque  Kind = iota // a value that carries nothing on: a comparison, a number; Args are evaluated for their sinks
	Const               // the constant Text
	Name                // the variable, import or function Text
	Field               // X.Text
	Index               // X[Args[0]]
	Call                // X(Args...); Keys has the names of named arguments, "" for the others
	Join                // a string of Args
	List                // a list or a tuple of Args
	Dict                // a struct or an object of Args, with the fields Keys; Text is its type, "" if unknown
	Closure             // the function Func
	Choice              // Args[0] if X holds, else Args[1]
	Let                 // Args[0], which is assigned to X
	Not                 // the negation of X
	And                 // Args[0] and Args[1]
	Or                  // Args[0] or Args[1]
	Equal               // Args[0] equals Args[1]; Text is "!=" if they differ
	In                  // Args[0] is in Args[1]
	Spread              // the elements of X
)

// Expr is an expression of any language.
type Expr struct {
	Kind Kind
	Line int
	Text string
	X    *Expr
	Args []*Expr
	Keys []string
	Func *Func
}

// StmtKind is the kind of a statement.
type StmtKind uint8

// Kinds of statements.
const (
	Do     StmtKind = iota // evaluates From
	Assign                 // To... = From
	Add                    // To[0] += From
	Return                 // returns From, nil for nothing
	If                     // Then if Cond holds, else Else; Cond is nil for a loop or a handler, which may run or not
	Leave                  // goes elsewhere: throws, breaks, continues
)

// Stmt is a statement of any language.
type Stmt struct {
	Kind       StmtKind
	Line       int
	To         []*Expr
	From       *Expr
	Cond       *Expr
	Then, Else []Stmt
	Type       string // the declared type of To[0], "" if unknown
}

// Param is a parameter of a function. Type is the dotted name of its type, "" if unknown. From is the source that a
// framework fills it from, "" for none.
type Param struct{ Name, Type, From string }

// Func is a lowered function. Body is lowered when it is first needed.
type Func struct {
	Name    string // dotted, as other functions call it
	File    *File
	Line    int
	Params  []Param
	Results []string // the types of the results, "" for an unknown one
	// Self is the name of the receiver among Params, as first of them, "" for none.
	Self  string
	lower func() []Stmt
	body  []Stmt
	ready bool
	plain *value // what it returns if nothing from a source goes in
	known bool   // plain is known
	// source is set if a flow may begin in the function, asked once that is known.
	source, asked bool
	// parts is what the parts of the paths that lead to it cannot do, if it is registered for paths.
	parts  map[string]kinds
	routed bool
}

// given is the number of parameters without the receiver.
func (f *Func) given() int {
	if f.Self != "" {
		return len(f.Params) - 1
	}
	return len(f.Params)
}

// Body returns the statements of the function.
func (f *Func) Body() []Stmt {
	if !f.ready {
		f.ready = true
		if f.lower != nil {
			f.body = f.lower()
		}
		f.lower = nil
	}
	return f.body
}

// File is a source file of a package.
type File struct {
	Path    string
	Lang    string            // a key of the tables: Go, JavaScript (TypeScript too) or Python
	Imports map[string]string // name: dotted name of what it stands for
	Stars   []string          // packages all of whose names are imported
	Package *Package
	Quote   func(line int) string
}

// Package is what shares names: a folder of Go files, one file of the other languages.
type Package struct {
	Name  string // dotted
	Files []*File
	// Init has the statements outside of functions.
	Init []Init
	// Funcs has the functions and methods by their name within the package: "run", "Server.run". Order has them in the
	// order of the source.
	Funcs map[string]*Func
	Order []*Func
	// Types has the declared types of fields: "Server.db" has the type "database/sql.DB". Bases has the classes and
	// what each is derived from.
	Types map[string]string
	Bases map[string][]string

	rests    map[string]bool // names of the parts of paths that may have separators, in the whole repository
	declared bool            // the order of Init does not matter for functions
	names    *scope          // of the names outside of functions, once they are known
	visited  bool
}

// Init is a statement outside of functions and the file that has it.
type Init struct {
	File *File
	Stmt Stmt
}

// Find returns the package with a dotted name, or nil. A lowering is asked for packages that the engine meets.
type Find func(name string) *Package
