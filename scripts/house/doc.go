// Package house holds the rules of the house as tests: which package may import
// which, how long a file may be, what needs a doc comment, what stands at the
// top level, how large a type, a function or a package may be (ratchet.txt), and
// that no listed test goes without a successor (tests.txt).
// Its code only measures; scripts/size prints the figures. "make test" and
// "make check" run the tests. It changes no file.
package house
