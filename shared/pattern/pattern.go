// Package pattern compiles regular expressions on first use. The server has about 300 of them; compiling all takes
// 10 ms and 4 MB, which each start and each call of a hook would pay.
//
// All packages of the product use it for the expressions in their package variables. It has no state of its own.
package pattern

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled on first use. The methods are those of regexp.Regexp and are safe for
// concurrent use. An invalid expression panics on first use; TestPatterns compiles all expressions.
type Regexp struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// New returns the regular expression for a text without compiling it. The Go compiler evaluates a call of New in a
// package variable, so that the call costs nothing when a program starts.
func New(text string) *Regexp { return &Regexp{text: text} }

func (p *Regexp) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// The following methods are those of regexp.Regexp that callers use.

func (p *Regexp) Match(b []byte) bool { return p.compiled().Match(b) }

func (p *Regexp) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p *Regexp) FindAll(b []byte, n int) [][]byte { return p.compiled().FindAll(b, n) }

func (p *Regexp) FindAllIndex(b []byte, n int) [][]int { return p.compiled().FindAllIndex(b, n) }

func (p *Regexp) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

func (p *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

func (p *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return p.compiled().FindAllSubmatch(b, n)
}

func (p *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return p.compiled().FindAllSubmatchIndex(b, n)
}

func (p *Regexp) FindIndex(b []byte) []int { return p.compiled().FindIndex(b) }

func (p *Regexp) FindString(s string) string { return p.compiled().FindString(s) }

func (p *Regexp) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

func (p *Regexp) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p *Regexp) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

func (p *Regexp) FindSubmatch(b []byte) [][]byte { return p.compiled().FindSubmatch(b) }

func (p *Regexp) FindSubmatchIndex(b []byte) []int { return p.compiled().FindSubmatchIndex(b) }

func (p *Regexp) ReplaceAllString(s, to string) string { return p.compiled().ReplaceAllString(s, to) }

func (p *Regexp) ReplaceAllStringFunc(s string, to func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, to)
}

func (p *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

func (p *Regexp) Split(s string, n int) []string { return p.compiled().Split(s, n) }
