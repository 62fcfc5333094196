package source

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// desk is a realm with one file on its map, and its folder.
type desk struct {
	w     *world.World
	from  string // the map's source
	v     Versions
	err   error
	asked []string
}

func (d *desk) World(context.Context) (*world.World, error) { return d.w, nil }

func (d *desk) File(path string) (dungeon.Entry, string, error) {
	d.asked = append(d.asked, path)
	if path != "a%25.go" {
		return dungeon.Entry{}, "", wire.Errorf(wire.NotFound, "the map shows no such file")
	}
	return dungeon.Entry{Path: path}, d.from, nil
}

func (d *desk) Open(_ context.Context, path, name string, git bool) (Versions, error) {
	if path != "/linked" || name != "a%.go" || git != (d.from == "git") {
		return Versions{}, errors.New("another file")
	}
	return d.v, d.err
}

func (d *desk) Past(ctx context.Context, path, name string) (*wire.FilePast, error) {
	if _, err := d.Open(ctx, path, name, true); err != nil {
		return nil, err
	}
	return &wire.FilePast{Commits: []wire.FileCommit{{Subject: "use " + token}}, Runs: []wire.FileRun{}}, nil
}

var token = "ghp_" + "q7Zk2LmX9vR4tB1nC8sD5wF3" + "gH6jK0pTyUeA"

func newDesk(disk, head string) *desk {
	w := world.New(world.Realm{Path: "/linked"})
	w.Findings = []world.Finding{
		{ID: "f2", Path: "a%25.go", Line: 9}, {ID: "f1", Path: "a%25.go", Line: 2}, {ID: "f0", Path: "a%25.go", Withdrawn: "no"}, {ID: "f3", Path: "b.go"},
	}
	return &desk{w: w, from: "git", v: Versions{Disk: []byte(disk), Head: []byte(head), InHead: head != "", Commit: "c1"}}
}

func (d *desk) text(t *testing.T, rev string) *wire.FileText {
	t.Helper()
	out, err := Text(t.Context(), d, d, Want{Path: "a%25.go", Rev: rev, Host: true})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func codeOf(err error) wire.Code {
	var e *wire.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// P19.1.
func TestTextOfAFile(t *testing.T) {
	d := newDesk("package a\n\nfunc main() {}", "package a\n")
	out := d.text(t, "")
	if out.Text != "package a\n\nfunc main() {}" || out.Lines != 3 || out.Size != 25 || out.Language != "Go" || out.Head != wire.HeadDiffers ||
		out.Commit != "c1" || len(out.Findings) != 2 || out.Findings[0] != (wire.FileFinding{ID: "f1", Line: 2}) {
		t.Errorf("P19.1: %+v", out)
	}
	if out = d.text(t, wire.RevHead); out.Text != "package a\n" || out.Lines != 1 || out.Rev != "HEAD" {
		t.Errorf("P19.1: %+v", out)
	}
	for head, v := range map[string]Versions{
		wire.HeadSame: {Disk: []byte("a"), Head: []byte("a"), InHead: true}, wire.HeadAbsent: {Disk: []byte("a")},
		wire.HeadUnknown: {Disk: []byte("a"), HeadErr: wire.Errorf(wire.TooLarge, "large")},
	} {
		if d.v = v; d.text(t, "").Head != head {
			t.Errorf("P19.1: %s", d.text(t, "").Head)
		}
	}
	d.v = Versions{Disk: []byte("a")}
	if _, err := Text(t.Context(), d, d, Want{Path: "a%25.go", Rev: "HEAD", Host: true}); codeOf(err) == "" {
		t.Errorf("P19.1: HEAD does not have it, and the answer is %v", err)
	}
	if _, err := Text(t.Context(), d, d, Want{Path: "a%25.go", Rev: "main", Host: true}); codeOf(err) != wire.BadField {
		t.Errorf("P19.1: another revision: %v", err)
	}
	if d.from = "walk"; d.text(t, "").Head != "" {
		t.Error("P19.1: without git the file is compared with HEAD")
	}
	if d.w.Realm.Path = ""; true {
		if _, err := Text(t.Context(), d, d, Want{Path: "a%25.go", Host: true}); codeOf(err) != wire.NotFound {
			t.Errorf("P19.1: no folder: %v", err)
		}
	}
}

// P19.1.
func TestWhatIsNoText(t *testing.T) {
	d := newDesk("\x7fELF\x00\x01", "")
	if out := d.text(t, ""); !out.Binary || out.Text != "" || out.Size != 6 || out.Lines != 0 {
		t.Errorf("P19.1: %+v", out)
	}
	d = newDesk("caf\xe9\nau lait\n", "")
	if out := d.text(t, ""); !out.NotUTF8 || out.Binary || out.Text != "caf\uFFFD\nau lait\n" || out.Lines != 2 {
		t.Errorf("P19.1: %+v", out)
	}
	if out := newDesk("", "").text(t, ""); out.Lines != 0 || out.Binary || out.Text != "" {
		t.Errorf("P19.1: %+v", out)
	}
}

// A person who may not open files gets the same error for every path, before the path is looked up. P19.2.
func TestFilesAreForHosts(t *testing.T) {
	d := newDesk("text\n", "")
	for _, path := range []string{"a%25.go", "nothing", "../x"} {
		if _, err := Text(t.Context(), d, d, Want{Path: path}); codeOf(err) != wire.NotAllowed || len(d.asked) > 0 {
			t.Errorf("P19.2: %s: %v, looked up %v", path, err, d.asked)
		}
		if _, err := Past(t.Context(), d, d, Want{Path: path}); codeOf(err) != wire.NotAllowed || len(d.asked) > 0 {
			t.Errorf("P19.2: the past of %s: %v, looked up %v", path, err, d.asked)
		}
	}
	d.w.Settings.FilesFor = world.Everybody
	if out, err := Text(t.Context(), d, d, Want{Path: "a%25.go"}); err != nil || out.Text != "text\n" {
		t.Errorf("P19.2: where the realm allows it: %v", err)
	}
}

// P19.3.
func TestSecretsAreMasked(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7\n", 4) + "-----END RSA PRIVATE KEY-----"
	d := newDesk("a\n"+key+"\nb := \""+token+"\"\nc\n", "b := \""+token+"\"\n")
	out := d.text(t, "")
	if strings.Contains(out.Text, "MIIE") || strings.Contains(out.Text, "ghp_") || !strings.Contains(out.Text, "[secret: ") {
		t.Errorf("P19.3: a secret is shown: %s", out.Text)
	}
	if lines := strings.Split(out.Text, "\n"); out.Lines != 9 || lines[8] != "c" || !strings.HasPrefix(lines[7], "b := ") ||
		!slices.Equal(out.Masked, []int{2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("P19.3: lines have other numbers: masked %v in %q", out.Masked, lines)
	}
	if out = d.text(t, wire.RevHead); strings.Contains(out.Text, "ghp_") || !slices.Equal(out.Masked, []int{1}) {
		t.Errorf("P19.3: HEAD's version shows a secret: %s", out.Text)
	}
	if past, err := Past(t.Context(), d, d, Want{Path: "a%25.go", Host: true}); err != nil || strings.Contains(past.Commits[0].Subject, "ghp_") ||
		past.Path != "a%25.go" {
		t.Errorf("P19.3: a commit shows a secret: %+v %v", past, err)
	}
}

// Accept returns the line, and writes it only if asked. The line has nothing but what the finding says and the reason.
// P19.7.
func TestAccept(t *testing.T) {
	d := newDesk("", "")
	d.w.Findings = []world.Finding{
		{ID: "f1", Accept: "secrets a.go:a key -- REASON"}, {ID: "none"}, {ID: "gone", Accept: "x a.go:y -- REASON", Withdrawn: "no"},
		{ID: "two", Accept: "x a.go:y\n* *: -- REASON"}, {ID: "note", Accept: "# a -- REASON"},
	}
	var wrote []string
	write := func(_ context.Context, folder, line string) (bool, error) {
		wrote = append(wrote, folder+" "+line)
		return true, nil
	}
	ask := func(id, reason string, really bool) (*wire.FindingAccepted, error) {
		return Accept(t.Context(), d, wire.FindingAccept{FindingID: id, Reason: reason, Write: really}, write)
	}
	out, err := ask("f1", " a test key ", false)
	want := wire.FindingAccepted{Path: ".agentdungeon-review", Line: "secrets a.go:a key -- a test key"}
	if err != nil || *out != want || len(wrote) > 0 {
		t.Errorf("P19.7: %+v %v, written %q", out, err, wrote)
	}
	for _, c := range []struct {
		id, reason string
		code       wire.Code
	}{
		{"f1", "", wire.BadField}, {"f1", " ", wire.BadField}, {"f1", "a\n* *: -- all", wire.BadField}, {"f1", "a\u202eb", wire.BadField},
		{"f1", strings.Repeat("a", maxReason+1), wire.BadField}, {"f1", token, wire.BadField}, {"f1", "a\xff", wire.BadField},
		{"none", "a", wire.Conflict}, {"gone", "a", wire.Conflict}, {"two", "a", wire.Conflict}, {"note", "a", wire.Conflict}, {"f9", "a", wire.NotFound},
	} {
		if _, err := ask(c.id, c.reason, true); codeOf(err) != c.code || len(wrote) > 0 {
			t.Errorf("P19.7: %s because %q: %v, written %q, want %s", c.id, c.reason, err, wrote, c.code)
		}
	}
	if out, err = ask("f1", "a test key", true); err != nil || !out.Written || !slices.Equal(wrote, []string{"/linked " + want.Line}) {
		t.Errorf("P19.7: %+v %v, written %q", out, err, wrote)
	}
}

// What is accepted is what the lines of the file say, whoever wrote them, and nothing that is withdrawn. P19.9.
func TestAccepted(t *testing.T) {
	d := newDesk("", "")
	d.w.Findings = []world.Finding{
		{ID: "f1", Check: "sentinel/secret", Path: "a%25.go", Title: "A key, in 3 places"},
		{ID: "other", Check: "sentinel/secret", Path: "b.go", Title: "A key"},
		{ID: "gone", Check: "sentinel/secret", Path: "a%25.go", Title: "A key", Withdrawn: "no"},
		{ID: "said", Path: "a%25.go", Title: "A key"}, // by a model, which has no check
		{ID: "whole", Check: "scribe/readme", Title: "There is no README"},
		{ID: "old", Check: "sentinel/x", Path: "c.go", Title: "A hole", CWE: []int{78}, Withdrawn: "it was accepted" + world.AcceptedIn + "ours"},
		{ID: "s-0123456789abcdef", Check: "sentinel/x", Path: "c.go", Title: "A hole", CWE: []int{78}},
	}
	text, fails := "", error(nil)
	read := func(_ context.Context, folder string) ([]byte, error) {
		if folder != "/linked" {
			t.Errorf("P19.9: %s is read", folder)
		}
		return []byte(text), fails
	}
	for lines, want := range map[string][]string{
		"": {},
		"sentinel/secret a%.go:A key -- a test key\nscribe/readme *: -- later\n": {"f1", "whole"},
		"sentinel/secret a%.go:A key -- \n":                                      {}, // without a reason
		"sentinel/secret *.go:A key -- ours\n":                                   {"f1", "other"},
		"sentinel/x c.go:A hole -- ours\n":                                       {}, // it may be of the older one
		"sentinel/x c.go:A hole [01234567] -- ours\n":                            {"s-0123456789abcdef"},
	} {
		text = lines
		out, err := Accepted(t.Context(), d, read)
		if err != nil || !slices.Equal(out.Findings, want) {
			t.Errorf("P19.9: %q accepts %v, %v; want %q", lines, out, err, want)
		}
	}
	fails = wire.Errorf(wire.Conflict, "no text")
	if out, err := Accepted(t.Context(), d, read); codeOf(err) != wire.Conflict {
		t.Errorf("P19.9: of a file that cannot be read: %v %v", out, err)
	}
	d.w.Realm.Path = ""
	if out, err := Accepted(t.Context(), d, read); err != nil || len(out.Findings) != 0 {
		t.Errorf("P19.9: without a folder: %v %v", out, err)
	}
}
