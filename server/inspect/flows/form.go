// Package flows follows values from where they enter a program (a request, the command line) to where they can do
// harm (a shell, eval, SQL, a path, a fetched URL, a template, a deserializer). One engine does this for Go,
// JavaScript, TypeScript and Python: each language is lowered to one small form (Expr, Stmt, Func), in which
// imports are resolved to dotted names, and a table of the language says which names are sources, sinks and sanitizers.
//
// The engine follows assignments, string building, fields, containers, and calls of the repository's own functions
// to a fixed depth. A value that it cannot resolve counts as harmless, so it reports only flows of which it knows
// every step. The package keeps no state between repositories, reads files only through inspect.Repo, starts no
// process, and limits its work by counts, not by time. The hero sentinel has its checks; scripts/benchreview
// measures them.
package flows

// Kind is the kind of an expression.
type Kind uint8

// Kinds of expressions. Args are operands in the order of the source text.
const (
	Opaque  Kind = iota // a value without taints, such as a number; Args are evaluated, because they may contain sinks
	Const               // the constant Text
	Name                // the variable, import or function Text
	Field               // X.Text
	Index               // X[Args[0]]
	Call                // X(Args...); Keys has the names of named arguments, "" for the others
	Join                // a string of Args
	List                // a list or a tuple of Args
	Dict                // a struct or an object of Args, with the fields Keys; Text is its type, "" if unknown
	Closure             // the function Func
	Choice              // Args[0] if X is true, else Args[1]
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
	If                     // runs Then if Cond is true, else Else; if Cond is nil, as in a loop, Then may run or not
	Leave                  // leaves the block: throws, breaks, continues
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

// Param is a parameter of a function. Type is the dotted name of its type, "" if unknown. From is the source of the
// values that a web framework passes for the parameter, "" for none.
type Param struct{ Name, Type, From string }

// Func is a lowered function. Body is lowered when it is first needed.
type Func struct {
	Name    string // dotted, as other functions call it
	File    *File
	Line    int
	Params  []Param
	Results []string // the types of the results, "" for an unknown one
	// Self is the name of the receiver, which is the first of Params; "" for none.
	Self  string
	lower func() []Stmt
	body  []Stmt
	ready bool
	plain *value // the result if no argument is tainted
	known bool   // plain has been computed
	// source is set if a flow may begin in the function. asked is set once source has been computed.
	source, asked bool
	// parts has, for a function that is registered for routes, the kinds of harm that each part of the route's path
	// cannot do.
	parts  map[string]kinds
	routed bool
	around *Func // the function in whose text a closure stands, nil for none
}

// given returns the number of parameters without the receiver.
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

// File is a source file, in any language, that the engine follows values through.
type File struct {
	Path    string
	Lang    string            // a key of the tables: Go, JavaScript (also for TypeScript) or Python
	Imports map[string]string // maps names to the dotted names that they stand for
	Stars   []string          // packages all of whose names are imported
	Package *Package
	Quote   func(line int) string
}

// Package is a unit whose files share names: a folder of Go files, or one file in other languages.
type Package struct {
	Name  string // dotted
	Files []*File
	// Init has the statements outside of functions.
	Init []Init
	// Funcs has the functions and methods by their names within the package: "run", "Server.run". Order has them in the
	// order of the source.
	Funcs map[string]*Func
	Order []*Func
	// Types has the types of fields: "Server.db" has the type "database/sql.DB". Bases maps each class to its base
	// classes.
	Types map[string]string
	Bases map[string][]string

	rests    map[string]bool // names of path parts that may contain separators, in the whole repository
	declared bool            // functions may be used before their declaration, so Init may come in any order
	names    *scope          // the names outside of functions, once they are evaluated
	visited  bool
}

// Init is a statement outside of functions and the file that has it.
type Init struct {
	File *File
	Stmt Stmt
}

// Find returns the package with a dotted name, or nil. The engine calls it for each package whose name it meets.
type Find func(name string) *Package
