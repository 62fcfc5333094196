package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/realm"
	"agentdungeon/server/store/disk"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const planted = "qzplanted words by the gate"

// An operator erases in a stopped folder and through the server that holds it. Afterwards the audit and the
// list of conversations record the erasure and contain none of the erased words (S1-19, S1-25, S1-B11).
func TestOperatorsErase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		ctx, osfs := context.Background(), afero.NewOsFs()
		a := start(t, worlds, castFile(t, stalled))
		r := link(t, a, repo(t))
		submit(t, r, &wire.SpectatorSay{Text: planted})
		submit(t, r, &wire.StartProcess{Problem: planted + ", what now?", TemplateID: "standard_brainstorm"})
		submit(t, r, &wire.PlayerCommand{Text: "/skip"})
		time.Sleep(time.Minute)
		id := r.ID()
		list := func(status string) string {
			var out bytes.Buffer
			if err := a.writeConversations(ctx, &out, world.DefaultTenant, id, "text", status, false); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		if all, done := list("active"), list("completed"); strings.Count(all, "\n") != 2 || strings.Count(done, "\n") != 1 {
			t.Errorf("S1-B11: active are\n%s\ncompleted are\n%s", all, done)
		}
		if err := a.writeConversations(ctx, new(bytes.Buffer), "other", id, "text", "", false); err == nil {
			t.Error("S1-B11: another tenant lists it")
		}
		if _, err := stopped(osfs, worlds, id).Erase(ctx, world.Erasure{SpectatorID: "p1", Reason: world.ErasedOnRequest, Who: "test"}, zerolog.Nop()); !errors.Is(err, disk.ErrLocked) {
			t.Errorf("a folder that a server holds: %v", err)
		}
		if _, err := a.erase(ctx, "other", id, world.Erasure{SpectatorID: "p1", Reason: world.ErasedOnRequest, Who: "test"}); err == nil {
			t.Error("another tenant erases")
		}
		stop(t, a)
		if countWords(t, worlds) == 0 {
			t.Fatal("nothing is planted")
		}
		receipt, err := stopped(osfs, worlds, id).Erase(ctx, world.Erasure{SpectatorID: "p1", Reason: world.ErasedOnRequest, Who: "agentdungeon erase"}, zerolog.Nop())
		if err != nil || receipt.SpectatorID != "p1" || receipt.RealmID != id || receipt.DoneAt == 0 || receipt.Changed["events"] < 2 || len(receipt.Unreached) < 4 {
			t.Errorf("%+v %v", receipt, err)
		}
		if n := countWords(t, worlds); n > 0 {
			t.Errorf("it is still there, %d times", n)
		}
		again, err := stopped(osfs, worlds, id).Erase(ctx, world.Erasure{SpectatorID: "p1", Reason: world.ErasedOnRequest, Who: "agentdungeon erase"}, zerolog.Nop())
		if err != nil || again.ErasureID != receipt.ErasureID {
			t.Errorf("erased twice: %+v %v", again, err)
		}
		var audit bytes.Buffer
		if err := stopped(osfs, worlds, id).Audit(ctx, 0, false, &audit); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"history:erased", "agentdungeon erase", "conversation.started", "process:started"} {
			if !strings.Contains(audit.String(), want) {
				t.Errorf("the audit lacks %s:\n%s", want, audit.String())
			}
		}
		a = start(t, worlds, castFile(t, stalled))
		w := state(t, mustOpen(t, a, id))
		if w.ProcessState.ProblemStatement != world.ErasedName || w.ProcessState.Status != world.StatusRunning || !w.IsErased("p1") {
			t.Errorf("the process is %+v", w.ProcessState)
		}
		var text bytes.Buffer
		if err := a.audit(ctx, &text, world.DefaultTenant, id, "json", 0); err != nil || !strings.Contains(text.String(), `"action":"history:erased"`) {
			t.Errorf("%v %s", err, text.String())
		}
		stop(t, a)
	})
}

// countWords counts planted words in all files of a folder.
func countWords(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		n += bytes.Count(raw, []byte("qzplanted"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func mustOpen(t *testing.T, a *App, id string) *realm.Realm {
	t.Helper()
	r, err := a.realm(context.Background(), world.DefaultTenant, id)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return r
}

// stuckFs is a file system that cannot remove files for some time.
type stuckFs struct {
	afero.Fs
	until time.Time
}

func (f stuckFs) Remove(name string) error {
	if time.Now().Before(f.until) {
		return errors.New("the disk is away")
	}
	return f.Fs.Remove(name)
}

// An erasure in a stopped folder logs what it waits for. Its receipt names the session files of an older
// program that could not be imported (S1-19).
func TestErasingInAFolderSaysWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds, castFile(t, stalled))
		r := link(t, a, repo(t))
		submit(t, r, &wire.SpectatorSay{Text: planted})
		time.Sleep(time.Minute)
		id := r.ID()
		stop(t, a)
		bad := filepath.Join(worlds, id, "sessions", "bad.json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(bad), 0o755), os.WriteFile(bad, []byte("{"), 0o644)); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		receipt, err := stopped(stuckFs{afero.NewOsFs(), time.Now().Add(time.Minute)}, worlds, id).Erase(context.Background(), world.Erasure{SpectatorID: "p1", Reason: world.ErasedOnRequest, Who: "test"}, zerolog.New(zerolog.SyncWriter(&log)))
		if err != nil || !strings.HasSuffix(receipt.Unreached[len(receipt.Unreached)-1], "that are not imported: sessions/bad.json.") {
			t.Errorf("%+v, %v", receipt, err)
		}
		if !strings.Contains(log.String(), "a step of an erasure has failed and is repeated: files") || !strings.Contains(log.String(), "the disk is away") || strings.Contains(log.String(), planted) {
			t.Errorf("it says %s", log.String())
		}
	})
}

// An operator finds the id of a person by the name, of a spectator who only spoke to all, too, while the server runs
// and when it is stopped. An erased person is not listed.
func TestAPersonIsFoundByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds, castFile(t, stalled))
		r := link(t, a, repo(t))
		sam := realm.Person{SpectatorID: "p7", Name: "Sam", Color: "#aabbcc", Role: wire.RoleSpectator}
		for _, name := range []string{"Sam", "Samuel"} {
			sam.Name = name
			if e := r.Submit(realm.Input{From: sam, Command: &wire.SpectatorSay{Text: planted}}); e != nil {
				t.Fatal(e)
			}
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		id := r.ID()
		var text, asJSON, none bytes.Buffer
		if err := a.writeConversations(t.Context(), &text, world.DefaultTenant, id, "text", "", true); err != nil {
			t.Fatal(err)
		}
		stop(t, a)
		osfs := afero.NewOsFs()
		if err := stopped(osfs, worlds, id).Conversations(t.Context(), Listing{Content: true, JSON: true}, &asJSON); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^p7 +Sam, Samuel +2000-`).MatchString(text.String()) {
			t.Errorf("the text does not name Sam:\n%s", text.String())
		}
		var got struct{ People []world.KnownPerson }
		if err := json.Unmarshal(asJSON.Bytes(), &got); err != nil || len(got.People) != 1 ||
			got.People[0].SpectatorID != "p7" || !slices.Equal(got.People[0].Names, []string{"Sam", "Samuel"}) {
			t.Errorf("%v: the JSON does not name Sam:\n%s", err, asJSON.String())
		}
		e := world.Erasure{SpectatorID: "p7", Reason: world.ErasedOnRequest, Who: "test"}
		if _, err := stopped(osfs, worlds, id).Erase(t.Context(), e, zerolog.Nop()); err != nil {
			t.Fatal(err)
		}
		if err := stopped(osfs, worlds, id).Conversations(t.Context(), Listing{Content: true}, &none); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(none.String(), "p7") {
			t.Errorf("an erased person is listed:\n%s", none.String())
		}
	})
}
