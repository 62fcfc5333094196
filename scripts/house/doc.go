// Package house checks the rules of this repository's code in its tests: which package may
// import which, how long a file may be, which declarations need a doc comment, which entries
// the root folder may have, how large a type, a function or a package may be (ratchet.txt),
// and that a listed test is removed only if a successor is named (tests.txt).
// Its code only measures; scripts/size prints the figures. "make test" and
// "make check" run the tests. It changes no file.
package house
