// Schema writes shared/schema.json: every frame and command of the wire contract
// and every shape they use, reflected from the Go structs of shared/wire and
// shared/world. The page's types are generated from it.
//
// It owns the translation (unions, fields that can be null, strings with a list of values)
// and defines no shape of its own. "make generate" and "make check", which compares the
// result, call it from the root of the repository, because it reads the structs' comments:
//
//	go run ./scripts/schema [-o FILE]
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "shared/schema.json", "file to write")
	root := flag.String("root", ".", "root of the repository")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func run(root, out string) error {
	text, err := Generate(root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, text, 0o644); err != nil {
		return fmt.Errorf("write schema: %w", err)
	}
	return nil
}
