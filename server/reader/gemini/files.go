package gemini

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
)

// readDir returns entries of a folder, at most readDirMax, sorted by name.
func readDir(path string) ([]os.DirEntry, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	files, err := d.ReadDir(readDirMax)
	if len(files) > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(files, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return files, err
}

// chats returns the sessions in a project's folder, without reading the files.
func chats(folder string, counts *shadow.Counts) (all []shadow.Session) {
	dir := filepath.Join(folder, "chats")
	files, err := readDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return nil // not a project's folder
		}
		if errors.Is(err, fs.ErrPermission) {
			counts.Hidden++
		}
		return nil
	}
	add := func(dir string, file os.DirEntry, parent string) {
		info, err := file.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(file.Name(), ".jsonl") {
			return
		}
		all = append(all, shadow.Session{Program: Program, File: filepath.Join(dir, file.Name()), Parent: parent,
			Changed: info.ModTime()})
	}
	for _, file := range files {
		switch {
		case file.IsDir():
			below := filepath.Join(dir, file.Name())
			agents, err := readDir(below)
			if err != nil {
				counts.Hidden++
			}
			for _, agent := range agents {
				add(below, agent, file.Name())
			}
		case strings.HasPrefix(file.Name(), "session-"):
			add(dir, file, "")
		}
	}
	return all
}

// look reads the first records of a transcript for its id and when it began, and the last ones for its title and the
// time of the newest record.
func (r *Reader) look(file string) (about, bool) {
	info, err := os.Stat(file)
	if err != nil {
		return about{}, false
	}
	if a, ok := r.known[file]; ok && a.size == info.Size() && a.changed.Equal(info.ModTime()) {
		return a, a.id != ""
	}
	a := about{size: info.Size(), changed: info.ModTime()}
	_ = jsonl.Head(file, headBytes, func(l jsonl.Line) bool {
		rec, err := parse(l.Text)
		if err != nil {
			return true
		}
		a.id, a.began = rec.SessionID, rec.StartTime
		return a.id == ""
	})
	a.last = a.began
	_ = jsonl.Tail(file, tailBytes, func(l jsonl.Line) bool {
		rec, err := parse(l.Text)
		if err != nil {
			return true
		}
		for _, at := range []time.Time{rec.Timestamp, rec.Set.LastUpdated} {
			if at.After(a.last) {
				a.last = at
			}
		}
		if a.title == "" {
			a.title = rec.title()
		}
		a.done = a.done || rec.Set.Summary != ""
		return a.title == "" || rec.ID == ""
	})
	if len(r.known) >= maxKnown {
		clear(r.known)
	}
	r.known[file] = a
	return a, a.id != ""
}

func (r *Reader) origin(s shadow.Session) origin {
	from, ok := r.calls[s.ID]
	if ok {
		return from
	}
	dir := filepath.Dir(filepath.Dir(s.File))
	files, err := readDir(dir)
	if err != nil {
		return from
	}
	for _, file := range files {
		path := filepath.Join(dir, file.Name())
		if file.IsDir() || !strings.HasSuffix(file.Name(), s.Parent[:min(8, len(s.Parent))]+".jsonl") {
			continue
		}
		_ = jsonl.Tail(path, tailBytes, func(l jsonl.Line) bool {
			if !strings.Contains(string(l.Text), `"agentId":"`+s.ID+`"`) {
				return true
			}
			rec, err := parse(l.Text)
			if err != nil {
				return true
			}
			for _, c := range rec.ToolCalls {
				if c.AgentID == s.ID {
					var args struct {
						Name string `json:"agent_name"`
					}
					_ = json.Unmarshal(c.Args, &args) // without arguments the sub-agent has no name
					from = origin{call: c.ID, name: brief(args.Name)}
				}
			}
			return from.call == ""
		})
	}
	if from.call != "" {
		if len(r.calls) >= maxKnown {
			clear(r.calls)
		}
		r.calls[s.ID] = from
	}
	return from
}
