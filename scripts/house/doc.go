// Package house holds the rules of the house as tests: which package may import
// which, how long a file may be, what needs a doc comment, what stands at the
// top level. It has no code of its own; "make test" and "make check" run it.
package house
