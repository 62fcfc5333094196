package inspect

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Reach says who runs the code of a file, and so whom a problem in the code harms. "" counts as ReachProduct.
type Reach string

// Values of Reach.
const (
	ReachProduct Reach = "product" // what users run
	ReachScript  Reach = "script"  // what only the project's own people run, and examples
	ReachTest    Reach = "test"    // tests and helpers of tests
	ReachFixture Reach = "fixture" // what tests read
	ReachForeign Reach = "foreign" // third-party and generated code, which is mended elsewhere
)

// fixtures lists names of folders with files that tests read.
var fixtures = []string{"testdata", "fixtures", "fixture", "__fixtures__", "golden", "snapshots", "__snapshots__"}

// reach returns who runs the code of a file.
func (r *Repo) reach(f *File) Reach {
	inFixtures := false
	for part := range strings.SplitSeq(path.Dir(f.Path), "/") {
		inFixtures = inFixtures || slices.Contains(fixtures, strings.ToLower(part))
	}
	switch {
	case f.Vendored || r.Generated(f):
		return ReachForeign
	case inFixtures:
		return ReachFixture
	case f.Test || IsCode(f.Lang) && Helps(f):
		return ReachTest
	case IsCode(f.Lang) && (ByHand(f) || Shown(f)):
		return ReachScript
	}
	return ReachProduct
}

// doubt lowers the confidence of a finding if the file's name or folder says that users do not run the code. The
// name may mislead, so no finding is dropped. In examples and helpers of tests, all findings become candidates; in
// scripts, all but those of grave weaknesses do. A finding in a test is not changed: checks that examine tests too have
// set its confidence themselves.
func (r *Repo) doubt(f *Finding) {
	f.Confidence = cmp.Or(f.Confidence, Sure)
	file := r.File(f.Path)
	if file == nil || file.Test || !IsCode(file.Lang) {
		return
	}
	aside := Helps(file) || Shown(file)
	grave := f.Hero == "sentinel" && slices.Index(order, f.Severity) <= slices.Index(order, High)
	if !aside && (grave || !ByHand(file)) {
		return
	}
	f.Confidence = Doubtful
	f.Doubt = cmp.Or(f.Doubt, "its name or folder is that of an example, of a script, or of a helper of tests")
}

// Rank sets the fields that the order of findings needs besides the severity: Confidence, if the check has not set
// it, Reach and Fresh.
func (r *Repo) Rank(f *Finding) {
	f.Confidence = cmp.Or(f.Confidence, Sure)
	file := r.File(f.Path)
	if file == nil {
		return
	}
	f.Reach = r.reach(file)
	if r.History != nil {
		if past, ok := r.History.Past(f.Path); ok {
			f.Fresh = past.Last
		}
	}
}

var (
	order   = []string{Critical, High, Medium, Low, Info}
	certain = []string{Sure, Likely, Doubtful}
	reaches = []Reach{ReachProduct, ReachScript, ReachTest, ReachFixture, ReachForeign}
)

// Weigh orders ranked findings by their cost: candidates (see Result.Told) last, then by severity, by certainty, by
// the number of people who run the code, and by the time of the last change.
func Weigh(a, b Finding) int {
	last := func(f Finding) int {
		if f.Confidence == Doubtful {
			return 1
		}
		return 0
	}
	return cmp.Or(last(a)-last(b), slices.Index(order, a.Severity)-slices.Index(order, b.Severity),
		slices.Index(certain, a.Confidence)-slices.Index(certain, b.Confidence),
		slices.Index(reaches, cmp.Or(a.Reach, ReachProduct))-slices.Index(reaches, cmp.Or(b.Reach, ReachProduct)),
		b.Fresh.Compare(a.Fresh))
}

// Worse orders findings by Weigh, then by path and line.
func Worse(a, b Finding) int {
	return cmp.Or(Weigh(a, b), strings.Compare(a.Path, b.Path), a.Line-b.Line)
}

// total orders findings by Worse, then by further fields, so that the order of different findings is always
// defined.
func total(a, b Finding) int {
	return cmp.Or(Worse(a, b), strings.Compare(a.Title, b.Title), strings.Compare(a.Evidence, b.Evidence),
		strings.Compare(a.Same, b.Same))
}

// alsoAt begins the line of the evidence that lists the further places of a cause.
const alsoAt = "\nAlso at "

var ofPlaces = Pattern(`, in \d+ places$`)

// uncounted returns a title without the number of places that merge has added.
func uncounted(title string) string { return ofPlaces.ReplaceAllString(title, "") }

// mostPlaces is the maximum number of further places of a cause that are listed; the others are counted.
const mostPlaces = 8

// maxEvidence is the maximum length of the evidence in bytes. leastQuote is the length of the quotation that
// remains if the evidence also lists places.
const (
	maxEvidence = 600
	leastQuote  = 200
)

// merge returns one finding for each cause, with the number of its places in the title and the further places in
// the evidence. Of the findings of a cause it returns the worst; of equally bad ones, the largest. all is in the
// order of total. again has further findings whose IDs are in all; they only count as places.
func merge(all, again []Finding) []Finding {
	best, places := map[string]int{}, map[string][]Finding{}
	var out []Finding
	for _, f := range all {
		key := f.Cause.Key
		i, known := best[key]
		if key == "" || !known {
			best[key] = len(out)
			out = append(out, f)
			continue
		}
		if out[i].Severity == f.Severity && out[i].Confidence == f.Confidence && f.Size > out[i].Size {
			out[i], f = f, out[i]
		}
		places[key] = append(places[key], f)
	}
	for _, f := range again {
		if _, known := best[f.Cause.Key]; known && f.Cause.Key != "" {
			places[f.Cause.Key] = append(places[f.Cause.Key], f)
		}
	}
	for key, further := range places {
		f := &out[best[key]]
		f.Same = cmp.Or(f.Same, strings.Join(strings.Fields(f.Evidence), " ")) // merging does not change the ID
		slices.SortFunc(further, func(a, b Finding) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line) })
		var list []string
		for _, o := range further {
			if m := o.Mark(); o.Path == f.Path && o.Check == f.Check && m != f.Mark() && !slices.Contains(f.Marks, m) {
				f.Marks = append(f.Marks, m)
			}
			if p := o.further(f); p != f.place() && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
		if len(list) == 0 {
			continue
		}
		counted := fmt.Sprintf(", in %d places", len(list)+1)
		f.Title = Clip(f.Title, 100-len(counted)) + counted
		also := listed(list)
		f.Evidence = Clip(Clip(f.Evidence, max(maxEvidence-len(also), leastQuote))+also, maxEvidence)
	}
	slices.SortFunc(out, total)
	return out
}

// listed returns the line that lists as many places as fit, at most mostPlaces, and counts the others.
func listed(places []string) string {
	for n := min(len(places), mostPlaces); ; n-- {
		line := alsoAt + strings.Join(places[:n], ", ")
		if left := len(places) - n; left > 0 {
			line += fmt.Sprintf(" and %d more", left)
		}
		if len(line) <= maxEvidence-leastQuote || n == 1 {
			return line
		}
	}
}

// merged reports whether merge has put further places into a finding.
func merged(f Finding) bool { return strings.Contains(f.Evidence, alsoAt) }

// further returns the place of a finding that has the cause of another one. If both are at one place, it is the source
// of the finding: values from several sources come there.
func (f *Finding) further(than *Finding) string {
	if f.place() != than.place() || len(f.Steps) == 0 || len(than.Steps) == 0 {
		return f.place()
	}
	first := func(f *Finding) string { return fmt.Sprintf("%s:%d", f.Steps[0].Path, f.Steps[0].Line) }
	if first(f) == first(than) {
		return than.place()
	}
	return first(f)
}

// place returns the path and line of a finding.
func (f *Finding) place() string {
	if f.Line == 0 {
		return f.Path
	}
	return fmt.Sprintf("%s:%d", f.Path, f.Line)
}

// Fold returns, for each finding, the index of the finding that represents it, or -1 if none does. all has the
// worst finding first. The first finding of a cause represents the others of that cause, whichever checks made
// them. A finding that shares its cause with no other is represented by the first finding on its line, if another
// hero made that one and if either both findings are candidates (Doubtful) or neither is.
func Fold(all []Finding) []int {
	type line struct {
		path      string
		n         int
		candidate bool
	}
	into := make([]int, len(all))
	causes, lines, share := map[string]int{}, map[line]int{}, map[string]int{}
	for i := range all {
		share[all[i].Cause.Key]++
	}
	for i := range all {
		f := &all[i]
		at := line{f.Path, f.Line, f.Confidence == Doubtful}
		first, taken := lines[at]
		same, known := causes[f.Cause.Key]
		switch {
		case known:
			into[i] = same
			continue
		case (f.Cause.Key == "" || share[f.Cause.Key] == 1) && f.Line > 0 && taken && all[first].Hero != f.Hero:
			into[i] = first
			continue
		}
		into[i] = -1
		if f.Cause.Key != "" {
			causes[f.Cause.Key] = i
		}
		if !taken {
			lines[at] = i
		}
	}
	return into
}
