package dependencies

import (
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// semver is a version: major, minor and patch. -1 means any number.
type semver [3]int

var (
	wantPart   = inspect.Pattern(`^\s*(\^|~>?|>=|<=|>|<|=)?\s*v?(\d+|x|X|\*)(?:\.(\d+|x|X|\*))?(?:\.(\d+|x|X|\*))?(\s+|$)`)
	hyphenPart = inspect.Pattern(`^\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?\s+-\s+v?(\d+)(?:\.(\d+))?(?:\.(\d+))?\s*$`)
	plainPart  = inspect.Pattern(`^v?(\d+)\.(\d+)\.(\d+)$`)
)

func parts(texts []string) semver {
	v := semver{-1, -1, -1}
	for i, t := range texts {
		n, err := strconv.Atoi(t)
		if err != nil { // x, * or nothing: the rest means any number
			break
		}
		v[i] = n
	}
	return v
}

// plain parses a released version. ok is false for prereleases and all other texts.
func plain(s string) (v semver, ok bool) {
	m := plainPart.FindStringSubmatch(s)
	if m == nil {
		return v, false
	}
	return parts(m[1:]), true
}

// floor returns the lowest version that a partial version covers: 1.2.0 for "1.2".
func (v semver) floor() semver { return semver{max(v[0], 0), max(v[1], 0), max(v[2], 0)} }

// ceiling returns the lowest version that is above all versions that a partial version covers: 1.3.0 for "1.2".
func (v semver) ceiling() semver {
	switch {
	case v[0] < 0:
		return semver{1 << 30}
	case v[1] < 0:
		return semver{v[0] + 1}
	case v[2] < 0:
		return semver{v[0], v[1] + 1}
	}
	return semver{v[0], v[1], v[2] + 1}
}

func (v semver) less(w semver) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

// satisfies reports whether a locked version satisfies the range want of a package.json. known is false if this cannot
// be told, because one of the two is not made of plain numbers but is, for example, a tag, an address or a prerelease.
func satisfies(locked, want string) (ok, known bool) {
	v, plainly := plain(locked)
	if !plainly {
		return false, false
	}
	for alternative := range strings.SplitSeq(want, "||") {
		fits, known := one(v, alternative)
		if !known {
			return false, false
		}
		ok = ok || fits
	}
	return ok, true
}

// one reports whether version v fits a range that has no "||". known is false if the range cannot be parsed.
func one(v semver, want string) (fits, known bool) {
	if m := hyphenPart.FindStringSubmatch(want); m != nil {
		return !v.less(parts(m[1:4]).floor()) && v.less(parts(m[4:7]).ceiling()), true
	}
	rest := strings.TrimSpace(want)
	if rest == "" {
		return true, true
	}
	fits = true
	for rest != "" {
		m := wantPart.FindStringSubmatch(rest)
		if m == nil {
			return false, false
		}
		rest = rest[len(m[0]):]
		w := parts(m[2:5])
		low, high := w.floor(), w.ceiling()
		switch m[1] {
		case "^":
			high = caret(w)
		case "~", "~>":
			if w[2] >= 0 {
				high = semver{w[0], w[1] + 1}
			}
		case ">=":
			high = semver{1 << 30}
		case ">":
			low, high = high, semver{1 << 30}
			if w[2] >= 0 {
				low = semver{w[0], w[1], w[2] + 1}
			}
		case "<":
			low, high = semver{}, low
		case "<=":
			low = semver{}
		}
		fits = fits && !v.less(low) && v.less(high)
	}
	return fits, true
}

// caret returns the lowest version above the caret range of w. In a caret range the first number that is not 0 is
// fixed.
func caret(w semver) semver {
	switch {
	case w[0] != 0 || w[1] < 0:
		return semver{w[0], -1, -1}.ceiling()
	case w[1] != 0 || w[2] < 0:
		return semver{w[0], w[1], -1}.ceiling()
	}
	return w.ceiling()
}
