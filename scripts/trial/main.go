// Command trial draws the public packages on which the findings of a review are judged by a person. The list of
// packages and the list of those that were judged before (repositories.txt, drawn.txt) are read from the commit of
// -commit, and the hash of that commit decides what is drawn, so nobody chooses. It fetches the packages into the
// folder of -into, with the ordinary clients apt-get and npm, and with -binary it writes the findings of the packages
// to findings.csv there, with two empty columns for the judge. It runs nothing of what it fetches.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// largest is the size of a file in bytes beyond which a client that fetches or unpacks it is killed.
const largest = 256 << 20

func main() {
	commit := flag.String("commit", "HEAD", "the commit of this repository that decides what is drawn")
	into := flag.String("into", "", "the folder into which the packages are fetched")
	binary := flag.String("binary", "", "the program agentdungeon that reviews the packages; none if it is empty")
	most := flag.Int("findings", 30, "the maximum number of findings that are drawn of a package")
	flag.Parse()
	if err := run(*commit, *into, *binary, *most); err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(1)
	}
}

func run(commit, into, binary string, most int) error {
	if into == "" {
		return fmt.Errorf("-into is missing")
	}
	hash, err := output("git", "rev-parse", commit+"^{commit}")
	if err != nil {
		return err
	}
	hash = strings.TrimSpace(hash)
	var lists [2][]parcel
	for i, name := range []string{"repositories.txt", "drawn.txt"} {
		text, err := output("git", "show", hash+":scripts/trial/"+name)
		if err == nil {
			lists[i], err = parse(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	drawn, err := draw(hash, lists[0], lists[1])
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: largest, Max: largest}); err != nil {
		return err
	}
	for _, p := range drawn {
		fmt.Println(p)
		if err := fetch(p, filepath.Join(into, p.folder())); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if binary == "" {
		return nil
	}
	return judge(hash, drawn, into, binary, most)
}

// output runs a command of git and returns what it prints.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd, err)
	}
	return string(out), nil
}
