package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// client has the command by which an ordinary package client downloads a package into the current folder, and the
// command that unpacks the file that matches archive into a folder. Neither command runs scripts of the package.
type client struct {
	download func(p parcel) []string
	archive  string
	unpack   func(archive, dir string) []string
}

var clients = map[string]*client{
	"apt": {
		func(p parcel) []string { return []string{"apt-get", "download", "-qq", p.name + "=" + p.version} },
		"*.deb",
		func(archive, dir string) []string { return []string{"dpkg-deb", "-x", archive, dir} },
	},
	"npm": {
		func(p parcel) []string {
			return []string{"npm", "pack", "--silent", "--ignore-scripts", p.name + "@" + p.version}
		},
		"*.tgz",
		func(archive, dir string) []string {
			return []string{"tar", "-xzf", archive, "--strip-components=1", "--one-top-level=" + dir}
		},
	},
}

// fetch downloads and unpacks a package into a folder, unless the folder is there.
func fetch(p parcel, dir string) (err error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := os.MkdirTemp("", "trial")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	c := clients[p.client]
	if err := in(temp, c.download(p)); err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(temp, c.archive))
	if err != nil {
		return err
	}
	if len(archives) != 1 {
		return fmt.Errorf("%d archives were downloaded, not one", len(archives))
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	part := dir + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(filepath.Dir(dir), 0o700)); err != nil {
		return err
	}
	if err := in(temp, c.unpack(archives[0], part)); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// in runs a command in a folder. What it prints goes to standard error.
func in(dir string, args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return nil
}
